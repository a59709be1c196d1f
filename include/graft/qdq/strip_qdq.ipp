#pragma once
#include <graft/qdq/strip_qdq.hpp>

#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/detail/pair.hpp>
#include <graft/qdq/qdq_to_clip.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::strip {

inline constexpr auto strip_pair =
    rule<"strip-pair">(pair, where(of_float), x).changes_values("rounding to steps of scale");

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

GRAFT_INLINE Pass remove_qdq(bool keep_clip_after_inputs) {
  const Pass pairs = fixpoint(strip_pair).preserves_all();
  if (!keep_clip_after_inputs) return on_typed_graph("remove_qdq", pairs);
  const auto reads_input = [](const Node& dequantize, const Context&) {
    const Value& x = *dequantize.input(0)->producer()->input(0);
    return x.is_graph_input() && x.graph().parent() == nullptr ? Verdict::yes()
                                                               : Verdict::no("it reads no graph input");
  };
  return on_typed_graph("remove_qdq", sweep_where(reads_input, qdq_to_clip).preserves_all() | pairs);
}

GRAFT_INLINE Pass remove_dequantized_constants() {
  return on_typed_graph("remove_dequantized_constants", fixpoint(strip_constant));
}

}  // namespace graft::inline v1
