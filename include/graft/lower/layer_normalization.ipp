#pragma once
#include <graft/lower/layer_normalization.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/normalization.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
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

namespace rules {

inline constexpr auto decompose_layer_normalization = rule<"decompose-layer-normalization">(
    op<"LayerNormalization">(x, y, opt(any)).with(axis, epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose(rewriter, m[outer]); });

inline constexpr auto decompose_skip_layer_normalization = rule<"decompose-skip-layer-normalization">(
    op<"com.microsoft::SkipLayerNormalization">(x, any, y, opt(any), opt(any)).with(epsilon).as(outer),
    where(predicate<detail::is_known_normalization>("")(outer, x, y)),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_skip(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_layer_normalization = rules::decompose_layer_normalization.view();

GRAFT_INLINE constinit const RuleView decompose_skip_layer_normalization =
    rules::decompose_skip_layer_normalization.view();

GRAFT_INLINE Pass decompose_layer_normalizations() {
  return on_typed_graph("decompose_layer_normalizations",
                        sweep(decompose_layer_normalization, decompose_skip_layer_normalization));
}

namespace detail {

/// 0, 1 ... S-1, where ids is [B, S].
inline Value& counted_positions(Rewriter& rewriter, Value& ids) {
  const Dim steps = ids.shape()[1];
  if (steps.known()) {
    Ints numbers(static_cast<std::size_t>(steps.value()));
    std::iota(numbers.begin(), numbers.end(), 0);
    return rewriter.ints(numbers, "positions");
  }
  const auto number = [&](std::int64_t value) { return &rewriter.constant(Tensor::scalar(value), "number"); };
  Value& extent = rewriter.op("Gather", {&rewriter.op("Shape", {&ids}), number(1)}, {{"axis", 0}});
  return rewriter.op("Range", {number(0), &extent, number(1)});
}

inline Verdict decompose_embedding(Rewriter& rewriter, Node& node) {
  const auto input = [&](std::size_t i) { return i < node.input_count() ? node.input(i) : nullptr; };
  Value &ids = *input(0), &words = *input(2);
  Value& positions = input(8) != nullptr ? *input(8) : counted_positions(rewriter, ids);
  Value* sum =
      &rewriter.op("Add", {&rewriter.op("Gather", {&words, &ids}), &rewriter.op("Gather", {input(3), &positions})});
  if (input(1) != nullptr && input(4) != nullptr)
    sum = &rewriter.op("Add", {sum, &rewriter.op("Gather", {input(4), input(1)})});
  Normalization parts(rewriter, node, words.dtype(), 3);
  std::vector<Value*> successors(node.output_count());
  successors[0] = &parts.standardized(*sum, *input(5), input(6));
  if (successors.size() > 2) successors[2] = sum;
  return rewriter.replace(node, successors);
}

}  // namespace detail

namespace rules {

inline Verdict is_known_embedding(const Node& node) {
  if (node.graph().opset() < 11) return Verdict::no("it needs opset 11");
  if (node.input(0)->shape().rank() != 2) return Verdict::no("its ids are not known to be of rank 2");
  return is_float(node.input(2)->dtype()) ? Verdict::yes() : Verdict::no("the dtypes are not known");
}

inline constexpr auto decompose_embed_layer_normalization = rule<"decompose-embed-layer-normalization">(
    op<"com.microsoft::EmbedLayerNormalization">(any, opt(any), any, any, opt(any), any, any, rest<>)
        .with(any_attributes)
        .as(outer),
    where(predicate<is_known_embedding>("")(outer)),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_embedding(rewriter, m[outer]); });

}  // namespace rules

GRAFT_INLINE constinit const RuleView decompose_embed_layer_normalization =
    rules::decompose_embed_layer_normalization.view();

GRAFT_INLINE Pass decompose_embed_layer_normalizations() {
  return on_typed_graph("decompose_embed_layer_normalizations", sweep(decompose_embed_layer_normalization));
}

}  // namespace graft::inline v1
