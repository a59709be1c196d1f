#pragma once
#include <graft/qdq/strip_qdq.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
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
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/rewriter.hpp>
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

GRAFT_INLINE constinit const RuleView strip_constant = detail::strip::strip_constant.view();

GRAFT_INLINE constinit const RuleView strip_pair = detail::strip::strip_pair.view();

GRAFT_INLINE Pass strip_qdq() { return pass("strip_qdq", fixpoint(strip_pair, strip_constant)).preserves_all(); }

}  // namespace graft::inline v1
