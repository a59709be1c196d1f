#pragma once
#include <graft/lower/simplified_layer_norm_to_rms_norm.hpp>

#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/skip_sum.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// x over the root of the mean of its squares, times the weight. `like`: what has the rank and dtype of x.
inline Value& rms_norm(Rewriter& rewriter, const Node& node, Value& x, const Value& like, Value& weight) {
  const DType dtype = like.dtype(), wide = dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype;
  const auto number = [&](double value) { return &rewriter.constant(Tensor::of(wide, {}, {value}), "number"); };
  const auto cast = [&](Value& value, DType from, DType to) -> Value& {
    return from == to ? value : rewriter.op("Cast", {&value}, {{"to", static_cast<std::int64_t>(to)}});
  };
  Value& given = cast(x, dtype, wide);
  const auto first = node.attr<std::int64_t>("axis").value_or(-1);
  const auto rank = static_cast<std::int64_t>(like.shape().rank());
  Ints over;
  for (std::int64_t axis = first < 0 ? first : first - rank; axis < 0; ++axis) over.push_back(axis);
  Value& squares = rewriter.op("Pow", {&given, number(2)});
  std::vector<Value*> reduced{&squares};
  Attributes attributes{{"keepdims", 1}};
  if (node.graph().opset() >= 18) {
    const auto count = static_cast<std::int64_t>(over.size());
    reduced.push_back(&rewriter.constant(Tensor::of<std::int64_t>({count}, over), "axes"));
  } else {
    attributes.emplace_back("axes", over);
  }
  Value& mean = rewriter.op("ReduceMean", reduced, attributes);
  Value& root = rewriter.op(
      "Sqrt", {&rewriter.op("Add", {&mean, number(static_cast<double>(node.attr<float>("epsilon").value_or(1e-5F)))})});
  Value& normalized = cast(rewriter.op("Div", {&given, &root}), wide, weight.dtype());
  return rewriter.op("Mul", {&normalized, &weight});
}

}  // namespace detail

namespace vocabulary {

inline Verdict is_known_norm(const Node& node, const Value& input, const Value& weights) {
  if (node.graph().opset() < 7) return Verdict::no("it needs opset 7");
  if (!is_float(input.dtype()) || !is_float(weights.dtype())) return Verdict::no("the dtypes are not known");
  const auto first = node.attr<std::int64_t>("axis").value_or(-1);
  if (first != -1 && !input.shape().known()) return Verdict::no("the rank is not known");
  const auto rank = static_cast<std::int64_t>(input.shape().rank());
  return first == -1 || (first >= -rank && first < rank) ? Verdict::yes() : Verdict::no("its axis is out of range");
}

inline constexpr auto simplified_layer_norm_to_rms_norm = rule<"simplified-layer-norm-to-rms-norm">(
    op<"SimplifiedLayerNormalization">(x, y).with(axis, epsilon).as(outer),
    where(predicate<is_known_norm>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      std::vector<Value*> successors(m[outer].output_count());
      successors[0] = &detail::rms_norm(rewriter, m[outer], m[x], m[x], m[y]);
      return rewriter.replace(m[outer], successors);
    });

inline constexpr auto skip_simplified_layer_norm_to_rms_norm = rule<"skip-simplified-layer-norm-to-rms-norm">(
    op<"com.microsoft::SkipSimplifiedLayerNormalization">(x, any, y, opt(addend)).with(epsilon).as(outer),
    where(predicate<is_known_norm>("")(outer, x, y)), [](const auto& m, Rewriter& rewriter) {
      Value& sum = detail::skip_sum(rewriter, m[outer]);
      return detail::replace_skip(rewriter, m[outer], detail::rms_norm(rewriter, m[outer], sum, m[x], m[y]), sum);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView simplified_layer_norm_to_rms_norm =
    vocabulary::simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE constinit const RuleView skip_simplified_layer_norm_to_rms_norm =
    vocabulary::skip_simplified_layer_norm_to_rms_norm.view();

GRAFT_INLINE Pass simplified_layer_norms_to_rms_norms() {
  return on_typed_graph("simplified_layer_norms_to_rms_norms",
                        sweep(simplified_layer_norm_to_rms_norm, skip_simplified_layer_norm_to_rms_norm));
}

}  // namespace graft::inline v1
