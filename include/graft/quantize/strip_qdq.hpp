#pragma once
// Before:  DequantizeLinear(QuantizeLinear(x, s, z), s, z)
// After:   x
//
// Before:  DequantizeLinear(c, s, z), everything constant
// After:   a float constant
//
// The q-params of a pair are constant and the same on both sides, and x has the dtype of the result. Other users of the
// quantized tensor keep it.
#include <cstdint>
#include <string>
#include <vector>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/pattern.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::strip {

inline constexpr auto x = val<"x">;
inline constexpr auto c = cst<"c">;
inline constexpr auto s = cst<"s">;
inline constexpr auto z = cst<"z">;
inline constexpr auto axis = attr<"axis", std::int64_t>;
inline constexpr auto output_dtype = attr<"output_dtype", std::int64_t>;
inline constexpr auto saturate = attr<"saturate", std::int64_t>;
inline constexpr auto precision = attr<"precision", std::int64_t>;
inline constexpr auto dq = node<"dq">;

inline constexpr auto quantize = [](const auto&... inputs) {
  return one_of<"QuantizeLinear", "com.microsoft::QuantizeLinear">(inputs...)
      .with(opt(axis), opt(output_dtype), opt(saturate), opt(precision))
      .shared();
};
inline constexpr auto dequantize = [](const auto&... inputs) {
  return one_of<"DequantizeLinear", "com.microsoft::DequantizeLinear">(inputs...).with(opt(axis));
};

/// Integers are quantized too, to floats of the scale's dtype.
inline Verdict is_of_float(const Value& value, const Tensor& scale) {
  const DType dtype = value.dtype();
  return dtype == DType::undefined || dtype == scale.dtype() ? Verdict::yes()
                                                             : Verdict::no("what is quantized is of another dtype");
}

inline constexpr auto strip_pair =
    rule<"strip-pair">(dequantize(quantize(x, s, opt(z)), s, opt(z)), where(predicate<is_of_float>("")(x, s)), x)
        .changes_values("rounding to steps of scale");

inline constexpr auto strip_constant =
    rule<"strip-constant">(dequantize(c, s, opt(z)).as(dq), [](const auto& m, Rewriter& rewriter) {
      const Node& node = m[dq];
      std::vector<Tensor> inputs;
      for (const Value* const input : node.inputs())
        inputs.push_back(input != nullptr ? input->constant().value() : Tensor());
      Value& result = rewriter.constant(evaluate(node, std::move(inputs)).front(), m[c].name());
      return rewriter.replace(*node.output(0), result);
    });

}  // namespace detail::strip

using detail::strip::strip_constant;
using detail::strip::strip_pair;

/// The pass that takes quantizers out again: pairs go, dequantized constants become float32 (or the dtype of their
/// scale), which quantizes anew as any float model does. Values then are what they were before rounding, constants
/// stay as they were rounded. Quantizers whose q-params are not constant stay, as do operators on integers.
inline Pass strip_qdq() { return pass("strip_qdq", fixpoint(strip_pair, strip_constant)); }

}  // namespace graft::inline v1
