#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/qdq.hpp>

// Patterns of quantizers.

namespace graft::inline v1::detail::strip {

inline constexpr auto x = val<"x">;

inline constexpr auto c = cst<"c">;

inline constexpr auto s = cst<"s">;

inline constexpr auto z = cst<"z">;

inline constexpr auto axis = attr<"axis", std::int64_t>;

inline constexpr auto output_dtype = attr<"output_dtype", std::int64_t>;

inline constexpr auto saturate = attr<"saturate", std::int64_t>;

inline constexpr auto precision = attr<"precision", std::int64_t>;

inline constexpr auto block_size = attr<"block_size", std::int64_t>;

inline constexpr auto dq = node<"dq">;

inline constexpr auto quantize = [](const auto&... inputs) {
  return one_of<"QuantizeLinear", "com.microsoft::QuantizeLinear">(inputs...)
      .with(opt(axis), opt(block_size), opt(output_dtype), opt(saturate), opt(precision))
      .shared();
};

inline constexpr auto dequantize = [](const auto&... inputs) {
  return one_of<"DequantizeLinear", "com.microsoft::DequantizeLinear">(inputs...)
      .with(opt(axis.named<"other_axis">()), opt(block_size.named<"other_block_size">()));
};

/// Whether the value has the scale's dtype. Integers may be quantized, too, to floats of that dtype.
inline Verdict is_of_float(const Value& value, const Tensor& scale) {
  const DType dtype = value.dtype();
  return dtype == DType::undefined || dtype == scale.dtype() ? Verdict::yes()
                                                             : Verdict::no("the quantized value has another dtype");
}

inline constexpr auto of_float = predicate<is_of_float>("")(x, s);

inline constexpr auto other_s = cst<"other_s">;

inline constexpr auto other_z = cst<"other_z">;

inline constexpr auto quantizer = node<"quantizer">;

/// The elements of q-params; equal elements of a whole tensor count once.
inline std::vector<double> elements(const Tensor& tensor) {
  std::vector<double> values = tensor.to<double>();
  if (std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); })) values.resize(1);
  return values;
}

/// The two sides may write equal q-params differently: an absent zero point is 0, one scale may be a list of one, and
/// an axis may count from either end.
inline Verdict has_same_parameters(const Node& from, const Node& to) {
  const std::optional<Tensor> scale = constant_input(from, 1), other = constant_input(to, 1);
  if (scale->dtype() != other->dtype() || elements(*scale) != elements(*other))
    return Verdict::no("the scales of the two sides differ");
  const std::optional<Tensor> zero = constant_input(from, 2), other_zero = constant_input(to, 2);
  const auto zeros = [](const std::optional<Tensor>& tensor) {
    return tensor ? elements(*tensor) : std::vector<double>{0};
  };
  if (from.input(2) != nullptr && to.input(2) != nullptr && zero->dtype() != other_zero->dtype())
    return Verdict::no("the zero points of the two sides have different dtypes");
  if (zeros(zero) != zeros(other_zero)) return Verdict::no("the zero points of the two sides differ");
  if (elements(*scale).size() == 1 && zeros(zero).size() == 1) return Verdict::yes();
  const auto number = [](const Node& node, const char* name, std::int64_t absent) {
    return node.attr<std::int64_t>(name).value_or(absent);
  };
  const Shape shape = from.input(0)->shape();
  const auto axis_of = [&](const Node& node) {
    const std::int64_t given = number(node, "axis", 1);
    return given < 0 && shape.known() ? given + static_cast<std::int64_t>(shape.rank()) : given;
  };
  return axis_of(from) == axis_of(to) && number(from, "block_size", 0) == number(to, "block_size", 0)
             ? Verdict::yes()
             : Verdict::no("the axes of the two sides differ");
}

inline constexpr auto of_same_parameters = predicate<has_same_parameters>("")(quantizer, dq);

/// A pair with constant q-params; of_same_parameters checks whether both sides are equal.
inline constexpr auto pair = dequantize(quantize(x, s, opt(z)).as(quantizer), other_s, opt(other_z)).as(dq);

}  // namespace graft::inline v1::detail::strip
