#pragma once
#include <graft/transformer/detail/standard_attention.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/transformer/detail/head_view.hpp>
#include <graft/vocabulary/hidden_rows.hpp>
#include <graft/vocabulary/short_mask.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Verdict read_standard_attention(Node& node, ScaledDotProduct& found) {
  const auto number = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0); };
  const auto is_used = [&](std::size_t i) { return i < node.output_count() && node.output(i)->is_used(); };
  if (is_used(3)) return Verdict::no("its scores are used");
  if (node.attr<float>("softcap").value_or(0) != 0) return Verdict::no("its scores are capped");
  if (number("softmax_precision") > 1) return Verdict::no("its softmax runs in another type");
  if (node.input(6) != nullptr) return Verdict::no("it is given lengths");
  for (const char* const side : {"left_window_size", "right_window_size"})
    if (node.attr<std::int64_t>(side).value_or(-1) >= 0) return Verdict::no("it has a window");
  found.mask = node.input(3);
  if (found.mask != nullptr && found.mask->dtype() != node.input(0)->dtype())
    return Verdict::no("its mask is no number to be added");
  found.causal = number("is_causal") != 0;
  found.hidden_rows_are_zero = found.mask != nullptr && vocabulary::may_hide_rows(*found.mask, found.causal);
  if (found.hidden_rows_are_zero && found.causal)
    return Verdict::no("it is causal, and its mask may hide all that a query would see");
  if (vocabulary::may_have_short_mask(node, node.input(1)->shape()[HeadView::steps]))
    return Verdict::no("its mask may have fewer keys than there are");
  found.set_operands(*node.input(0), *node.input(1), false, *node.input(2));
  const Dim size = found.query.dim(HeadView::size);
  if (!size.known()) return Verdict::no("the size of its heads is not known");
  const auto given = node.attr<float>("scale");
  found.scale *= given ? static_cast<double>(*given) : 1 / std::sqrt(static_cast<double>(size.value()));
  found.set_result(node);
  if (node.input(4) == nullptr && node.input(5) == nullptr) {
    if (is_used(1) || is_used(2)) return Verdict::no("its keys or values are put out");
    const bool square = same_size(found.query.dim(HeadView::steps), found.key.dim(HeadView::steps));
    return square || !found.causal ? Verdict::yes() : Verdict::no("it is causal, with other keys than queries");
  }
  if (node.input(4) == nullptr || node.input(5) == nullptr || node.output_count() < 3)
    return Verdict::no("it has a past, and puts out no present");
  if (found.key.factor != 1 || found.value.factor != 1)
    return Verdict::no("keys or values are multiplied behind their past");
  found.keys_before = ScaledDotProduct::Cache{node.input(4), node.output(1), found.key};
  found.values_before = ScaledDotProduct::Cache{node.input(5), node.output(2), found.value};
  found.key = head_view(*node.output(1), false);
  found.value = head_view(*node.output(2), false);
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
