#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/where.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace detail {

// LayerNormalization and its relatives normalize the axes from `axis` on, and scale by a tensor of their extents.

/// The last `count` dims; of unknown rank if the shape has fewer.
inline Shape last_dims(const Shape& whole, std::size_t count) {
  if (!whole.known() || count == 0 || count > whole.rank()) return {};
  std::vector<Dim> dims;
  for (std::size_t i = whole.rank() - count; i < whole.rank(); ++i) dims.push_back(whole[i]);
  return Shape(std::move(dims));
}

/// The part of its input's shape that the node normalizes.
inline Shape normalized_shape(const Node& normalization) {
  const Shape whole = normalization.input(0)->shape();
  const auto rank = static_cast<std::int64_t>(whole.rank());
  const auto axis = normalization.attr<std::int64_t>("axis").value_or(-1);
  const std::int64_t count = axis < 0 ? -axis : rank - axis;
  return count > 0 && count <= rank ? last_dims(whole, static_cast<std::size_t>(count)) : Shape();
}

inline Tensor filled(DType dtype, const Dims& dims, double number) {
  return Tensor::of(dtype, dims, std::vector<double>(static_cast<std::size_t>(element_count(dims)), number));
}

/// A constant that broadcasts to the normalized extents, as a tensor of these; nullopt if it does not.
inline std::optional<Tensor> as_operand(const Tensor& constant, const Node& normalization) {
  const Shape normalized = normalized_shape(normalization);
  // A constant of more dims than x raises its rank.
  if (!normalized.known() || constant.rank() > normalization.input(0)->shape().rank()) return std::nullopt;
  if (constant.size() == 1) {
    const std::optional<Dims> dims = normalized.dims();
    return dims ? std::optional(filled(constant.dtype(), *dims, constant.item<double>())) : std::nullopt;
  }
  Dims dims = constant.dims();
  while (dims.size() > normalized.rank() && dims.front() == 1) dims.erase(dims.begin());
  return same_size(Shape(std::span<const std::int64_t>(dims)), normalized) ? std::optional(constant.reshaped(dims))
                                                                           : std::nullopt;
}

/// Whether the value can be the scale or bias unchanged.
inline bool is_operand(const Value& value, const Node& normalization) {
  const Shape normalized = normalized_shape(normalization);
  return normalized.known() && same_size(value.shape(), normalized);
}

}  // namespace detail

namespace rules {

/// Captures that the rules of this room share.

inline constexpr auto norm = node<"norm">;
inline constexpr auto approximate = attr<"approximate", std::string_view>;

/// The dtypes for which ONNX Runtime has kernels of its own operators.
inline bool is_single_or_half(const Value& value) { return value.dtype() == DType::f32 || value.dtype() == DType::f16; }
inline constexpr auto is_short = predicate<is_single_or_half>("it is neither f32 nor f16")(x);

inline Verdict is_bias_of_rows(const Value& input, const Value& biases) {
  const Shape whole = input.shape(), added = biases.shape();
  if (!whole.known() || whole.rank() == 0) return Verdict::no("the rank is not known");
  return added.rank() == 1 && same_size(added[0], whole[whole.rank() - 1])
             ? Verdict::yes()
             : Verdict::no("the constant does not have the last extent");
}

inline Verdict is_bare_normalization(const Value& input, const Ints& over) {
  if (!are_last_axes(input.shape(), over)) return Verdict::no("the means are not over the last axes");
  return detail::last_dims(input.shape(), over.size()).dims() ? Verdict::yes()
                                                              : Verdict::no("the extents of its scale are not known");
}

/// A scale of ones over these axes.
inline std::optional<Tensor> ones_over(const Value& input, const Ints& over) {
  const std::optional<Dims> dims = detail::last_dims(input.shape(), over.size()).dims();
  return dims ? std::optional(detail::filled(input.dtype(), *dims, 1)) : std::nullopt;
}

}  // namespace rules

}  // namespace graft::inline v1
