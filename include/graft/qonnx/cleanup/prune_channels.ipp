#pragma once
#include <graft/qonnx/cleanup/prune_channels.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/cleanup/detail/channel_product.hpp>
#include <graft/qonnx/cleanup/detail/channel_removal.hpp>
#include <graft/qonnx/cleanup/detail/channel_spread.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Products by the name of their weight and, where that is quantized, of what is.
inline std::unordered_map<std::string_view, std::vector<Node*>> products_by_weight(Graph& graph) {
  std::unordered_map<std::string_view, std::vector<Node*>> products;
  for (Node& node : graph.nodes()) {
    if (!is_channel_product(node) || node.input(1) == nullptr || !is_weight(*node.input(1))) continue;
    const Value& value = *node.input(1);
    products[value.name()].push_back(&node);
    if (!value.is_constant()) products[value.producer()->input(0)->name()].push_back(&node);
  }
  return products;
}

}  // namespace detail

GRAFT_INLINE Pass prune_channels(ChannelMasks masks) {
  const auto run = [masks = std::move(masks)](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, context.infer_options());
    const auto products = detail::products_by_weight(graph);
    detail::ChannelSpread spread(graph);
    std::size_t pruned = 0;
    for (const auto& [weight, removed] : masks) {
      const auto found = products.find(weight);
      if (found == products.end()) throw Error("is the weight of no Conv, MatMul or Gemm").field(weight);
      for (Node* const product : found->second) {
        const std::optional<std::int64_t> channels = detail::output_channels(*product);
        for (const std::int64_t channel : removed)
          if (channels && (channel < 0 || channel >= *channels))
            throw Error("has no output channel " + std::to_string(channel)).field(weight);
        if (channels && std::ssize(removed) == *channels)
          throw Error("would be left without output channels").field(weight);
        const std::string problem = channels ? spread.add(*product, removed) : "its contents cannot be read";
        pruned += problem.empty() && !removed.empty() ? 1 : 0;
        if (problem.empty()) continue;
        report.notes.push_back("'" + weight + "' keeps its channels: " + problem);
        if (context.refusals) report.refusals.push_back({"prune_channels", display_name(*product), problem});
      }
    }
    if (pruned == 0) return report;
    Transaction transaction(graph);
    Rewriter rewriter(graph, context, {.values = "without some channels", .shapes = true});
    const bool is_done = detail::ChannelRemoval(spread.masks(), rewriter).run();
    const Verdict kept = is_done ? rewriter.commit() : rewriter.decline("a constant cannot be made smaller");
    if (kept) {
      transaction.keep();
      report.changes = pruned;
    } else {
      report.notes.push_back("all keep their channels: " + to_string(kept.reason()));
    }
    return report;
  };
  return detail::knowing_qonnx(pass("prune_channels", run));
}

}  // namespace graft::inline v1::qonnx
