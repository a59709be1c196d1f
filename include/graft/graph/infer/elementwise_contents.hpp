#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/integer_math.hpp>

/// The contents of integer tensors that are computed element by element.
namespace graft::inline v1::infer {

/// The extents of broadcast operands; nullopt if they do not fit, or if the result exceeds contents_limit.
inline std::optional<Dims> broadcast_dims(std::span<const Dims* const> operands) {
  Dims dims;
  for (const Dims* const operand : operands) {
    if (operand->size() > dims.size()) dims.insert(dims.begin(), operand->size() - dims.size(), 1);
    const std::size_t offset = dims.size() - operand->size();
    for (std::size_t axis = 0; axis < operand->size(); ++axis) {
      std::int64_t& dim = dims[offset + axis];
      const std::int64_t other = (*operand)[axis];
      if (dim != other && dim != 1 && other != 1) return std::nullopt;
      if (dim == 1) dim = other;
    }
  }
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || builtins::multiply_overflows(count, dim, count)) return std::nullopt;
  }
  return count <= contents_limit ? std::optional(std::move(dims)) : std::nullopt;
}

/// The row-major index in an operand of the element that broadcasting puts at `place` in a result with dims `into`.
inline std::size_t broadcast_place(std::size_t place, const Dims& into, const Dims& operand) {
  std::size_t result = 0, stride = 1;
  const std::size_t offset = into.size() - operand.size();
  for (std::size_t axis = into.size(); axis-- > offset;) {
    const auto extent = static_cast<std::size_t>(into[axis]);
    const auto own = static_cast<std::size_t>(operand[axis - offset]);
    if (own != 1) result += (place % extent) * stride;
    stride *= own;
    place /= extent;
  }
  return result;
}

/// Applies f to the elements of the first `Arity` inputs, broadcast. The result has this dtype, or that of the last
/// input if it is undefined.
template <std::size_t Arity, class F>
std::optional<Contents> each(const InferContext& c, F f, DType dtype = DType::undefined) {
  std::array<const Contents*, Arity> operands{};
  std::array<const Dims*, Arity> operand_dims{};
  for (std::size_t i = 0; i < Arity; ++i) {
    operands[i] = c.contents(i);
    if (operands[i] == nullptr) return std::nullopt;
    operand_dims[i] = &operands[i]->dims;
  }
  auto dims = broadcast_dims(operand_dims);
  if (!dims) return std::nullopt;
  if (dtype == DType::undefined) dtype = operands[Arity - 1]->dtype;
  if (!is_followed(dtype)) return std::nullopt;
  Contents result{dtype, std::move(*dims), {}};
  result.elements.resize(static_cast<std::size_t>(element_count(result.dims)));
  for (std::size_t place = 0; place < result.elements.size(); ++place) {
    const auto element = [&](std::size_t i) -> const Integer& {
      return operands[i]->elements[broadcast_place(place, result.dims, operands[i]->dims)];
    };
    const Integer computed = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Integer(f(element(I)...));
    }(std::make_index_sequence<Arity>());
    result.elements[place] = cast(computed, dtype);
  }
  return result;
}

inline bool broadcasts(const InferContext& c) { return c.opset() >= 7; }

template <Integer (*f)(const Integer&, const Integer&)>
std::optional<Contents> binary_contents(const InferContext& c) {
  return broadcasts(c) ? each<2>(c, f) : std::nullopt;
}

inline std::optional<Contents> sum_contents(const InferContext& c) {
  const auto sum = [&](const Integer& a, const Integer& b) { return c.sum(a, b); };
  return broadcasts(c) ? each<2>(c, sum) : std::nullopt;
}

inline std::optional<Contents> difference_contents(const InferContext& c) {
  const auto difference = [&](const Integer& a, const Integer& b) { return c.difference(a, b); };
  return broadcasts(c) ? each<2>(c, difference) : std::nullopt;
}

template <Integer (*f)(const Integer&, const Integer&)>
std::optional<Contents> comparison_contents(const InferContext& c) {
  return broadcasts(c) ? each<2>(c, f, DType::boolean) : std::nullopt;
}

constexpr Integer greater(const Integer& a, const Integer& b) { return less(b, a); }
constexpr Integer less_or_equal(const Integer& a, const Integer& b) { return logical_not(less(b, a)); }
constexpr Integer greater_or_equal(const Integer& a, const Integer& b) { return logical_not(less(a, b)); }

inline std::optional<Contents> modulo_contents(const InferContext& c) {
  return each<2>(c, c.attr("fmod", 0) == 0 ? floor_modulo : truncated_modulo);
}

/// Min and Max of two inputs; a single input is returned unchanged.
template <Integer (*f)(const Integer&, const Integer&)>
std::optional<Contents> extreme_contents(const InferContext& c) {
  if (c.opset() < 8 || c.input_count() != 2) return std::nullopt;
  return each<2>(c, f);
}

inline std::optional<Contents> where_contents(const InferContext& c) { return each<3>(c, choose); }

inline std::optional<Contents> not_contents(const InferContext& c) { return each<1>(c, logical_not); }

inline std::optional<Contents> negated_contents(const InferContext& c) {
  return each<1>(c, [](const Integer& a) { return subtract(0, a); });
}

inline std::optional<Contents> absolute_contents(const InferContext& c) {
  return each<1>(c, [](const Integer& a) { return a.symbolic() ? a : larger(a, subtract(0, a)); });
}

inline std::optional<Contents> cast_contents(const InferContext& c) {
  const auto to = c.attr<DType>("to");
  return to ? each<1>(c, [](const Integer& a) { return a; }, *to) : std::nullopt;
}

inline std::optional<Contents> same_contents(const InferContext& c) {
  const Contents* const input = c.contents(0);
  return input ? std::optional(*input) : std::nullopt;
}

}  // namespace graft::inline v1::infer
