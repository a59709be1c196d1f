#pragma once
#include <graft/qonnx/cleanup/prune_channels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/cleanup/detail/channel_product.hpp>
#include <graft/qonnx/cleanup/detail/channel_spread.hpp>
#include <graft/qonnx/cleanup/detail/masked_values.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

/// Removes channels from the types, constants and attributes of a graph.
class ChannelRemoval {
 public:
  ChannelRemoval(const MaskedValues& masks, Rewriter& rewriter) : masks_(masks), rewriter_(rewriter) {}

  /// Returns false if an edit is not possible.
  bool run() {
    for (const auto& [value, mask] : masks_.all()) {
      std::vector<Dim> dims;
      const Shape shape = value->shape();
      for (std::size_t i = 0; i < shape.rank(); ++i)
        dims.push_back(i == mask.axis ? Dim(shape[i].value() - std::ssize(mask.removed)) : shape[i]);
      value->graph().declare_type(*value, tensor_type(value->dtype(), Shape(std::move(dims))));
    }
    for (Node& node : masks_.graph().nodes())
      if (is_touched(node) && !shrink(node)) return false;
    return true;
  }

 private:
  bool is_touched(const Node& node) const {
    const InputRange inputs = node.inputs();
    const auto is_masked = [&](const Value* value) { return masks_.mask_of(value) != nullptr; };
    return std::any_of(inputs.begin(), inputs.end(), is_masked) ||
           std::ranges::any_of(node.outputs(), [&](const Value& value) { return is_masked(&value); });
  }

  bool shrink_weight(Node& node, std::size_t i, std::size_t axis, const Channels& removed) {
    if (removed.empty()) return true;
    Value* const shrunk = edited_weight(
        *node.input(i),
        [&](const Tensor& x, bool is_parameter) -> std::optional<Tensor> {
          if (axis >= x.rank()) return x;
          return is_parameter && x.dims()[axis] == 1 ? x : without(x, axis, removed);
        },
        [](std::int64_t same) { return same; }, rewriter_);
    if (shrunk == nullptr) return false;
    rewriter_.set_input(node.use(i), shrunk);
    return true;
  }

  Channels removed_of(const Value* value) const {
    const ChannelMask* const mask = masks_.mask_of(value);
    return mask != nullptr ? mask->removed : Channels();
  }

  bool shrink(Node& node) {
    if (is_channel_product(node)) return shrink_product(node);
    if (is_elementwise(node)) return shrink_operands(node);
    const ChannelMask* const mask = masks_.mask_of(node.output(0));
    if (mask == nullptr) return true;
    if (node.is("BatchNormalization")) {
      for (std::size_t i = 1; i < node.input_count(); ++i)
        if (!shrink_weight(node, i, 0, mask->removed)) return false;
    } else if (is_op(node, "MultiThreshold")) {
      const std::optional<Tensor> thresholds = contents_of(*node.input(1));
      return thresholds && (thresholds->dims()[0] == 1 || shrink_weight(node, 1, 0, mask->removed));
    } else if (node.is("Reshape")) {
      const Dim rows = node.output(0)->shape()[0], columns = node.output(0)->shape()[1];
      const Ints target = rows.known() ? Ints{rows.value(), columns.value()} : Ints{-1, columns.value()};
      rewriter_.set_input(node.use(1), &rewriter_.ints(target, ""));
    }
    return true;
  }

  bool shrink_product(Node& node) {
    const Channels inputs = removed_of(node.input(0)), outputs = removed_of(node.output(0));
    const bool is_conv = node.is("Conv");
    const bool is_depthwise = is_conv && groups_of(node) != 1;
    const std::size_t axis = weight_output_axis(node);
    if (!shrink_weight(node, 1, axis, outputs)) return false;
    if (is_depthwise) rewriter_.set_attribute(node, {"group", groups_of(node) - std::ssize(outputs)});
    if (!is_depthwise && !shrink_weight(node, 1, 1 - axis, inputs)) return false;
    if (node.input(2) == nullptr || outputs.empty()) return true;
    const std::optional<Tensor> bias = contents_of(*node.input(2));
    if (!bias) return false;
    if (bias->size() == 1 && !is_conv) return true;
    return bias->rank() == 0 || bias->dims().back() == 1 || shrink_weight(node, 2, bias->rank() - 1, outputs);
  }

  bool shrink_operands(Node& node) {
    const ChannelMask* const mask = masks_.mask_of(node.output(0));
    if (mask == nullptr) return true;
    const std::size_t rank = node.output(0)->shape().rank();
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      Value* const input = node.input(i);
      if (input == nullptr || masks_.mask_of(input) != nullptr || !is_weight(*input)) continue;
      const std::optional<Tensor> operand = contents_of(*input);
      if (!operand || operand->rank() > rank) return false;
      const std::size_t missing = rank - operand->rank();
      if (mask->axis < missing || operand->dims()[mask->axis - missing] == 1) continue;
      if (!shrink_weight(node, i, mask->axis - missing, mask->removed)) return false;
    }
    return true;
  }

  const MaskedValues& masks_;
  Rewriter& rewriter_;
};

/// Products by the name of their weight, and of its quantized constant.
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
      if (found == products.end()) throw Error("is not the weight of a Conv, MatMul or Gemm").field(weight);
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
    const Verdict kept = is_done ? rewriter.accept() : rewriter.decline("a constant cannot be made smaller");
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
