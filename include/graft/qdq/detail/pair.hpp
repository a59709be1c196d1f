#pragma once
#include <cstdint>

#include <graft/graph/dtype.hpp>
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
  return one_of<"DequantizeLinear", "com.microsoft::DequantizeLinear">(inputs...).with(opt(axis), opt(block_size));
};

/// Integers are quantized too, to floats of the scale's dtype.
inline Verdict is_of_float(const Value& value, const Tensor& scale) {
  const DType dtype = value.dtype();
  return dtype == DType::undefined || dtype == scale.dtype() ? Verdict::yes()
                                                             : Verdict::no("what is quantized is of another dtype");
}

inline constexpr auto of_float = predicate<is_of_float>("")(x, s);

/// A pair of the same constant q-params on both sides.
inline constexpr auto pair = dequantize(quantize(x, s, opt(z)), s, opt(z)).as(dq);

}  // namespace graft::inline v1::detail::strip
