#pragma once
#include <optional>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/where.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/transformer/detail/normalized_shape.hpp>
#include <graft/vocabulary/captures.hpp>

/// What the rules of this room share.

namespace graft::inline v1::vocabulary {

inline constexpr auto norm = node<"norm">;
inline constexpr auto approximate = attr<"approximate", std::string_view>;

/// ONNX Runtime's own operators have kernels for these.
inline bool is_single_or_half(const Value& value) { return value.dtype() == DType::f32 || value.dtype() == DType::f16; }
inline constexpr auto is_short = predicate<is_single_or_half>("it is neither f32 nor f16")(x);

inline Verdict is_bias_of_rows(const Value& input, const Value& biases) {
  const Shape whole = input.shape(), added = biases.shape();
  if (!whole.known() || whole.rank() == 0) return Verdict::no("the rank is not known");
  return added.rank() == 1 && same_size(added[0], whole[whole.rank() - 1])
             ? Verdict::yes()
             : Verdict::no("the constant is not of the last extent");
}

inline Verdict is_bare_normalization(const Value& input, const Ints& over) {
  if (!are_last_axes(input.shape(), over)) return Verdict::no("the means are not over the last axes");
  return detail::last_dims(input.shape(), over.size()).dims() ? Verdict::yes()
                                                              : Verdict::no("the extents of its scale are not known");
}

/// A scale that leaves what is normalized over these axes as it is.
inline std::optional<Tensor> ones_over(const Value& input, const Ints& over) {
  const std::optional<Dims> dims = detail::last_dims(input.shape(), over.size()).dims();
  return dims ? std::optional(detail::filled(input.dtype(), *dims, 1)) : std::nullopt;
}

}  // namespace graft::inline v1::vocabulary
