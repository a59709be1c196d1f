#pragma once
#include <graft/lower/decompose_layer_normalization.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/normalization.hpp>
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

inline Verdict decompose(Rewriter& rewriter, Node& node) {
  Value& x = *node.input(0);
  Normalization parts(rewriter, node, x.dtype(), x.shape().rank());
  std::vector<Value*> successors(node.output_count());
  successors[0] = &parts.standardized(x, *node.input(1), node.input(2));
  if (successors.size() > 1 && node.output(1)->is_used()) successors[1] = &parts.mean();
  if (successors.size() > 2 && node.output(2)->is_used()) successors[2] = &parts.inverse_deviation();
  return rewriter.replace(node, successors);
}

inline Verdict decompose_skip(Rewriter& rewriter, Node& node) {
  const Value& x = *node.input(0);
  Value& sum = skip_sum(rewriter, node, 4);
  Normalization parts(rewriter, node, x.dtype(), x.shape().rank());
  return replace_skip(rewriter, node, parts.standardized(sum, *node.input(2), node.input(3)), sum);
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto decompose_layer_normalization = rule<"decompose-layer-normalization">(
    op<"LayerNormalization">(x, y, opt(any)).with(axis, epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose(rewriter, m[outer]); });

inline constexpr auto decompose_skip_layer_normalization = rule<"decompose-skip-layer-normalization">(
    op<"com.microsoft::SkipLayerNormalization">(x, any, y, opt(any), opt(any)).with(epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_skip(rewriter, m[outer]); });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_layer_normalization = vocabulary::decompose_layer_normalization.view();

GRAFT_INLINE constinit const RuleView decompose_skip_layer_normalization =
    vocabulary::decompose_skip_layer_normalization.view();

GRAFT_INLINE Pass decompose_layer_normalizations() {
  return on_typed_graph("decompose_layer_normalizations",
                        sweep(decompose_layer_normalization, decompose_skip_layer_normalization));
}

}  // namespace graft::inline v1
