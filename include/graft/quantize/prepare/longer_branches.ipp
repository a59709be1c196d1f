#pragma once
#include <graft/quantize/prepare/longer_branches.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/detail/branch_lengths.hpp>
#include <graft/quantize/kernel/activation.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether a Conv makes it, for this reader alone; activations may be between.
inline bool is_made_by_conv(const Value& value) {
  const Value* made = &value;
  while (made->has_one_use() && made->producer() != nullptr && activation(*made->producer()) != nullptr)
    made = made->producer()->input(0);
  const Node* const maker = made->producer();
  return maker != nullptr && made->has_one_use() && (maker->is("Conv") || maker->is("ConvTranspose"));
}

inline bool has_longer_second(const Node& sum) {
  if (!sum.is("Add") || sum.opset() < 7 || sum.input(0) == nullptr || sum.input(1) == nullptr) return false;
  return is_made_by_conv(*sum.input(0)) && is_made_by_conv(*sum.input(1)) &&
         is_longer_branch(*sum.input(1), *sum.input(0));
}

}  // namespace detail

GRAFT_INLINE Pass longer_branches_first() {
  return pass("longer_branches_first",
              [](Graph& graph, Context&) {
                Report report;
                for (Node& node : graph.nodes()) {
                  if (!detail::has_longer_second(node)) continue;
                  Value *const first = node.input(0), *const second = node.input(1);
                  if (!graph.set_input(node, 0, second) || !graph.set_input(node, 1, first)) continue;
                  ++report.changes;
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
