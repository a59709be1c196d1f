#pragma once
#include <graft/simplify/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/attr_kind.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/non_negative.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto noop_without_axes = attr<"noop_with_empty_axes", std::int64_t>;

/// Whether Unsqueeze restores the axes that the reduction removed. Without axes, it removed all.
inline Verdict restores(const Value& input, const std::optional<Ints>& gone, const Ints& back) {
  Ints before = gone.value_or(Ints()), after = back;
  if (before.empty()) {
    if (!input.shape().known()) return Verdict::no("the rank is not known");
    before.resize(input.shape().rank());
    std::iota(before.begin(), before.end(), 0);
  }
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  return before == after ? Verdict::yes() : Verdict::no("the axes differ");
}

inline bool is_restored(std::int64_t gone, const Ints& back) { return back == Ints{gone}; }

/// The same node with keepdims=1.
inline Verdict keep_dims(const Node& reduction, Node& after, Rewriter& rewriter) {
  onnx::NodeProto payload = reduction.proto();
  for (onnx::AttributeProto& attribute : *payload.mutable_attribute())
    if (attribute.name() == "keepdims") attribute.set_i(1);
  const std::vector<Value*> inputs(reduction.inputs().begin(), reduction.inputs().end());
  std::vector<Value*> successors{rewriter.node_from(std::move(payload), inputs, 1, &reduction).output(0)};
  return rewriter.replace(after, successors);
}

inline constexpr auto reduce_unsqueeze = rule<"reduce-unsqueeze">(
    op<"Unsqueeze">(one_of<"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                           "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare">(x)
                        .with(opt(inner_axes), keepdims == 0, opt(noop_without_axes == 0))
                        .as(inner))
        .with(axes)
        .as(outer),
    where(predicate<restores>("")(x, inner_axes, axes)),
    [](const auto& m, Rewriter& rewriter) { return keep_dims(m[inner], m[outer], rewriter); });

inline constexpr auto arg_unsqueeze = rule<"arg-unsqueeze">(
    op<"Unsqueeze">(one_of<"ArgMax", "ArgMin">(x).with(axis, keepdims == 0).as(inner)).with(axes).as(outer),
    where(predicate<is_restored>("the axes differ")(axis, axes)),
    [](const auto& m, Rewriter& rewriter) { return keep_dims(m[inner], m[outer], rewriter); });

inline constexpr auto softmax_axis = axis.named<"softmax_axis">();

inline bool shares_divisor(const Node& softmax, std::int64_t over, std::int64_t along) {
  return softmax.opset() >= 13 ? over == along : over <= along;
}

inline bool rises(const Node& function) { return function.is("Exp") || is_non_negative(*function.input(0)); }

inline constexpr std::string_view index_of_ties = "the index where rounding makes ties";

inline constexpr auto argmax_of_monotone =
    rule<"argmax-of-monotone">(op<"ArgMax">(one_of<"Log", "Exp", "Sqrt">(x).as(inner)).as(outer),
                               where(predicate<rises>("numbers below 0 may make NaN")(inner)), outer(x))
        .changes_values(index_of_ties);

inline constexpr auto argmax_of_softmax =
    rule<"argmax-of-softmax">(
        op<"ArgMax">(one_of<"Softmax", "LogSoftmax">(x).with(softmax_axis).as(inner)).with(axis).as(outer),
        where(predicate<shares_divisor>("the ArgMax compares elements that Softmax divides by different sums")(
            inner, softmax_axis, axis)),
        outer(x))
        .changes_values(index_of_ties);

}  // namespace rules

GRAFT_INLINE constinit const RuleView arg_unsqueeze = rules::arg_unsqueeze.view();

GRAFT_INLINE constinit const RuleView reduce_unsqueeze = rules::reduce_unsqueeze.view();

GRAFT_INLINE constinit const RuleView argmax_of_monotone = rules::argmax_of_monotone.view();

GRAFT_INLINE constinit const RuleView argmax_of_softmax = rules::argmax_of_softmax.view();

}  // namespace graft::inline v1
