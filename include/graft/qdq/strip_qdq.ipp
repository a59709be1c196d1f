#pragma once
#include <graft/qdq/strip_qdq.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
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
#include <graft/pattern/constants.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/detail/pair.hpp>
#include <graft/qdq/qdq_to_clip.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::strip {

inline constexpr auto strip_pair =
    rule<"strip-pair">(pair, where(of_float, of_same_parameters), x).changes_values("rounding to steps of scale");

inline constexpr auto strip_constant =
    rule<"strip-constant">(dequantize(c, s, opt(z)).as(dq), [](const auto& m, Rewriter& rewriter) {
      const Node& node = m[dq];
      std::vector<Tensor> inputs;
      for (const Value* const input : node.inputs())
        inputs.push_back(input != nullptr ? input->constant().value() : Tensor());
      Value& result = rewriter.constant(evaluate(node, std::move(inputs)).front(), m[c].name());
      return rewriter.replace(*node.output(0), result);
    });

inline constexpr auto ids = val<"ids">;

inline constexpr auto to = attr<"to", std::int64_t>;

inline constexpr auto gather = node<"gather">;

inline Verdict is_table(const Tensor& codes, const Tensor& scales) {
  if (codes.dtype() != DType::i8 && codes.dtype() != DType::u8)
    return Verdict::no("its table is not of 8-bit integers");
  if (scales.dtype() != DType::f32) return Verdict::no("its scales are not float32");
  if (scales.rank() == 0) return Verdict::yes();
  const bool has_columns = codes.rank() > 1 && scales.rank() == 1;
  return has_columns && (scales.size() == 1 || scales.dims()[0] == codes.dims().back())
             ? Verdict::yes()
             : Verdict::no("its scales are not one for each index of its last axis");
}

inline Tensor table_of_floats(const Tensor& codes, const Tensor& scales) {
  std::vector<float> values = codes.to<float>();
  const std::span<const float> factors = scales.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factors[i % factors.size()];
  return Tensor::of<float>(codes.dims(), values);
}

inline constexpr auto strip_table =
    rule<"strip-table">(comm<"Mul">(op<"Cast">(op<"Gather">(c, ids).with(axis == 0).as(gather))
                                        .with(to == static_cast<std::int64_t>(DType::f32)),
                                    s),
                        where(predicate<is_table>("")(c, s)), gather(tensor<table_of_floats>(c, s), ids));

}  // namespace detail::strip

GRAFT_INLINE constinit const RuleView strip_constant = detail::strip::strip_constant.view();

GRAFT_INLINE constinit const RuleView strip_pair = detail::strip::strip_pair.view();

GRAFT_INLINE constinit const RuleView strip_table = detail::strip::strip_table.view();

GRAFT_INLINE Pass strip_qdq() {
  return pass("strip_qdq", fixpoint(strip_pair, strip_constant, strip_table)).preserves_all();
}

GRAFT_INLINE Pass remove_qdq(bool keep_clip_after_inputs) {
  const Pass pairs = fixpoint(strip_pair).preserves_all();
  if (!keep_clip_after_inputs) return on_typed_graph("remove_qdq", pairs);
  const auto reads_input = [](const Node& dequantize, const Context&) {
    const Value& x = *dequantize.input(0)->producer()->input(0);
    return x.is_graph_input() && x.graph().parent() == nullptr ? Verdict::yes()
                                                               : Verdict::no("its input is not a graph input");
  };
  return on_typed_graph("remove_qdq", sweep_where(reads_input, qdq_to_clip).preserves_all() | pairs);
}

GRAFT_INLINE Pass remove_dequantized_constants() {
  return on_typed_graph("remove_dequantized_constants", fixpoint(strip_constant));
}

}  // namespace graft::inline v1
