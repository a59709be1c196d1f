#pragma once
#include <graft/transformer/fuse/masked_windows.hpp>

#include <cstddef>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a node multiplies by one number, or adds: what attention takes with its scores.
inline bool scales_or_adds(const Node& node) {
  if (node.is("Add")) return true;
  if (!node.is("Mul") && !node.is("Div")) return false;
  const auto is_number = [](const Value* operand) { return operand->constant() && operand->constant()->size() == 1; };
  return is_number(node.input(1)) || (node.is("Mul") && is_number(node.input(0)));
}

/// The operand that has as many windows as a node's result; nullptr if none has.
inline Value* operand_of_windows(const Node& node, const Dim& windows) {
  for (Value* const operand : node.inputs()) {
    const Shape shape = operand == nullptr ? Shape() : operand->shape();
    if (shape.known() && shape.rank() > 1 && same_size(shape[0], windows)) return operand;
  }
  return nullptr;
}

/// What scores are computed of that has as many windows, for the sake of its shape; nullptr if they are no product that
/// is scaled and added to.
inline Value* source_of_windows(Value& scores) {
  const Dim windows = scores.shape()[0];
  Value* source = &scores;
  bool is_product = false;
  for (int steps = 0; steps < 16 && source->producer() != nullptr; ++steps) {  // more than there are in any attention
    const Node& producer = *source->producer();
    is_product = is_product || producer.is("MatMul");
    if (!is_product && !scales_or_adds(producer)) return nullptr;
    Value* const operand = operand_of_windows(producer, windows);
    if (operand == nullptr) break;
    source = operand;
  }
  return is_product ? source : nullptr;
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto window_scores = val<"window_scores">.rank(4);
inline constexpr auto window_mask = val<"window_mask">;

inline Verdict masks_windows(const Value& scores, const Node& apart, const Value& mask, const Node& together) {
  const auto split = apart.output(0)->shape(), whole = scores.shape(), joined = together.output(0)->shape();
  const auto extents = mask.shape().dims();
  if (split.rank() != 5 || joined.rank() != 4 || !extents || extents->size() != 5)
    return Verdict::no("windows are not taken apart, or the mask is not known to be of rank 5");
  for (std::size_t i = 1; i < 4; ++i) {
    if (!whole[i].known() || whole[i] == Dim(0)) return Verdict::no("an extent of the scores is not known, or 0");
    if (split[i + 1] != whole[i] || joined[i] != whole[i])
      return Verdict::no("scores are reshaped to other heads, steps or keys");
  }
  const bool per_head = (*extents)[2] != 1;
  const bool fits = (*extents)[0] == 1 && split[1] == Dim((*extents)[1]) && (*extents)[1] > 0 &&
                    (!per_head || whole[1] == Dim((*extents)[2])) && whole[2] == Dim((*extents)[3]) &&
                    whole[3] == Dim((*extents)[4]);
  return fits ? Verdict::yes() : Verdict::no("the mask has other extents than the windows");
}

inline bool is_softmax_of(const Node& together) {
  return together.output(0)->has_one_use() && !together.output(0)->is_graph_output() &&
         (*together.output(0)->users().begin()).is("Softmax");
}

inline constexpr auto masked_windows = rule<"masked-windows">(
    op<"Reshape">(
        comm<"Add">(op<"Reshape">(window_scores, any).with(opt(any_allowzero)).as(inner), window_mask), any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    where(predicate<masks_windows>("")(window_scores, inner, window_mask, outer),
          predicate<is_softmax_of>("no Softmax reads the masked scores")(outer)),
    [](const auto& m, Rewriter& rewriter) -> Verdict {
      Value &scores = m[window_scores], &mask = m[window_mask];
      Value* const source = detail::source_of_windows(scores);
      if (source == nullptr) return Verdict::no("the scores are not those of attention");
      const Dims dims = *mask.shape().dims();
      Value& windows = detail::extent(rewriter, *source, 0);
      Value& images = rewriter.op("Div", {&windows, &rewriter.ints({dims[1]})});
      Value& repeats = rewriter.op("Concat", {&images, &rewriter.ints({1, 1, 1, 1})}, {{"axis", 0}});
      Value& target = rewriter.op("Concat", {&windows, &rewriter.ints({dims[2], dims[3], dims[4]})}, {{"axis", 0}});
      Value& repeated = rewriter.op("Reshape", {&rewriter.op("Expand", {&mask, &repeats}), &target});
      const std::vector<Dim> known{scores.shape()[0], Dim(dims[2]), Dim(dims[3]), Dim(dims[4])};
      rewriter.set_type(repeated, tensor_type(mask.dtype(), Shape(known)));
      return rewriter.replace(*m[outer].output(0), rewriter.op("Add", {&scores, &repeated}));
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView masked_windows = vocabulary::masked_windows.view();

}  // namespace graft::inline v1
