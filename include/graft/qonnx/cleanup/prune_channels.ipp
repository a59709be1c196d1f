#pragma once
#include <graft/qonnx/cleanup/prune_channels.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
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
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/given_integers.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

using Channels = std::set<std::int64_t>;

/// The channels that a value loses, and along which axis they lie.
struct ChannelMask {
  std::size_t axis = 0;
  Channels removed{};
};

/// Follows channels through a graph, and takes them out.
class ChannelPruning {
 public:
  explicit ChannelPruning(Graph& graph) : graph_(graph) {
    for (Node& node : graph_.nodes()) {
      if (!is_product(node) || node.input(1) == nullptr || !is_weight(*node.input(1))) continue;
      const Value& value = *node.input(1);
      products_[value.name()].push_back(&node);
      if (!value.is_constant()) products_[value.producer()->input(0)->name()].push_back(&node);
    }
  }

  /// What a weight of that name belongs to.
  std::vector<Node*> products_of(std::string_view weight) const {
    const auto found = products_.find(weight);
    return found != products_.end() ? found->second : std::vector<Node*>();
  }

  /// nullopt if the weight cannot be read.
  static std::optional<std::int64_t> channels_of(const Node& product) {
    const std::optional<Tensor> weight = contents_of(*product.input(1));
    if (!weight || weight->rank() == 0) return std::nullopt;
    return weight->dims()[output_axis(product)];
  }

  /// Why the channels cannot be taken out; "" if they can be. Then the others are followed with them from now on.
  std::string add(Node& product, const Channels& removed) {
    const auto before = masks_;
    changed_.clear();
    problem_.clear();
    require(*product.output(0), product.is("Conv") ? 1 : product.output(0)->shape().rank() - 1, removed);
    while (!changed_.empty() && problem_.empty()) {
      Value* const value = changed_.back();
      changed_.pop_back();
      if (value->producer() != nullptr) visit(*value->producer());
      for (Node& user : value->users()) visit(user);
    }
    if (!problem_.empty()) masks_ = before;
    return problem_;
  }

  /// Edits the graph. False if something cannot be edited.
  bool apply(Rewriter& rewriter) {
    rewriter_ = &rewriter;
    for (const auto& [value, mask] : masks_) {
      std::vector<Dim> dims;
      const Shape shape = value->shape();
      for (std::size_t i = 0; i < shape.rank(); ++i)
        dims.push_back(i == mask.axis ? Dim(shape[i].value() - std::ssize(mask.removed)) : shape[i]);
      value->graph().declare_type(*value, tensor_type(value->dtype(), Shape(std::move(dims))));
    }
    for (Node& node : graph_.nodes())
      if (is_touched(node) && !shrink(node)) return false;
    return true;
  }

 private:
  static bool is_product(const Node& node) {
    return node.output_count() == 1 && (node.is("Conv") || node.is("MatMul") || node.is("Gemm"));
  }

  static std::size_t output_axis(const Node& product) {
    if (product.is("Conv")) return 0;
    const bool is_transposed = product.is("Gemm") && product.attr<std::int64_t>("transB").value_or(0) != 0;
    return is_transposed ? 0 : contents_of(*product.input(1))->rank() - 1;
  }

  static std::int64_t groups_of(const Node& conv) { return conv.attr<std::int64_t>("group").value_or(1); }

  const ChannelMask* mask_of(const Value* value) const {
    const auto found = value != nullptr ? masks_.find(const_cast<Value*>(value)) : masks_.end();
    return found != masks_.end() ? &found->second : nullptr;
  }

  bool is_touched(const Node& node) const {
    const InputRange inputs = node.inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](const Value* value) { return mask_of(value) != nullptr; }) ||
           std::ranges::any_of(node.outputs(), [&](const Value& value) { return mask_of(&value) != nullptr; });
  }

  void fail(const Node& node, std::string_view why) {
    if (problem_.empty()) problem_ = "'" + display_name(node) + "' " + std::string(why);
  }

  void require(Value& value, std::size_t axis, const Channels& removed) {
    if (removed.empty() || !problem_.empty()) return;
    const Shape shape = value.shape();
    const std::string name = "'" + std::string(value.name()) + "'";
    if (axis >= shape.rank() || !shape[axis].known()) {
      problem_ = "the channels of " + name + " are not known";
    } else if (value.producer() == nullptr) {
      problem_ = name + " is an input of the graph";
    } else if (value.is_graph_output()) {
      problem_ = name + " is an output of the graph";
    } else if (&value.graph() != &graph_ ||
               std::ranges::any_of(value.uses(), [&](const Use& use) { return &use.graph() != &graph_; })) {
      problem_ = name + " is used in a body";
    }
    if (!problem_.empty()) return;
    ChannelMask& mask = masks_.try_emplace(&value, ChannelMask{axis, {}}).first->second;
    if (mask.axis != axis) {
      problem_ = name + " has channels along two axes";
      return;
    }
    const std::size_t before = mask.removed.size();
    mask.removed.insert(removed.begin(), removed.end());
    if (std::ssize(mask.removed) >= shape[axis].value()) problem_ = name + " would be left without channels";
    if (mask.removed.size() != before) changed_.push_back(&value);
  }

  /// Both have the same channels along the same axis.
  void link(Value& a, Value& b) {
    if (const ChannelMask* const mask = mask_of(&a)) require(b, mask->axis, Channels(mask->removed));
    if (const ChannelMask* const mask = mask_of(&b)) require(a, mask->axis, Channels(mask->removed));
  }

  void visit(Node& node) {
    if (!problem_.empty()) return;
    if (!is_elementwise(node) && !node.is("Concat")) {
      for (std::size_t i = 1; i < node.input_count(); ++i)
        if (mask_of(node.input(i)) != nullptr) return fail(node, "reads the channels as a parameter");
    }
    if (is_product(node)) return visit_product(node);
    if (node.output_count() == 0) return fail(node, "makes nothing");
    for (std::size_t i = 1; i < node.output_count(); ++i)
      if (node.output(i)->is_used()) return fail(node, "has a second output that is used");
    constexpr std::array<std::string_view, 6> pools{"MaxPool",       "AveragePool", "GlobalAveragePool",
                                                    "GlobalMaxPool", "LpPool",      "BatchNormalization"};
    const bool is_standard = node.domain().empty();
    if (is_elementwise(node)) return visit_elementwise(node);
    if ((is_standard && std::ranges::find(pools, node.op_type()) != pools.end()) || is_op(node, "QuantAvgPool2d") ||
        is_op(node, "MultiThreshold"))
      return visit_per_channel(node);
    if (node.is("Dropout")) return link(*node.input(0), *node.output(0));
    if (node.is("Transpose")) return visit_transpose(node);
    if (node.is("Flatten") || node.is("Reshape")) return visit_flatten(node);
    if (node.is("Pad")) return visit_pad(node);
    if (node.is("Concat")) return visit_concat(node);
    if (is_standard && node.op_type().starts_with("Reduce")) return visit_reduction(node);
    fail(node, "does not keep channels apart, as far as is known");
  }

  void visit_product(Node& node) {
    Value &x = *node.input(0), &y = *node.output(0);
    if (node.input(1) == nullptr || !is_weight(*node.input(1)))
      return fail(node, "has a weight that is not constant");
    const std::optional<Tensor> weight = contents_of(*node.input(1));
    if (!weight) return fail(node, "has a weight that cannot be read");
    if (node.is("Conv") ? weight->rank() < 3 : weight->rank() != 2) return fail(node, "has a weight of another rank");
    if (node.input(2) != nullptr && mask_of(&y) != nullptr && !is_weight(*node.input(2)))
      return fail(node, "has a bias that is not constant");
    const std::size_t axis = node.is("Conv") ? 1 : x.shape().rank() - 1;
    for (const Value* const value : {&x, &y})
      if (const ChannelMask* const mask = mask_of(value); mask != nullptr && mask->axis != axis)
        return fail(node, "sums over another axis than that of the channels");
    if (node.attr<std::int64_t>("transA").value_or(0) != 0) return fail(node, "transposes its input");
    if (!node.is("Conv") || groups_of(node) == 1) return;
    if (weight->dims()[1] != 1 || groups_of(node) != weight->dims()[0])
      return fail(node, "is in groups, and not depthwise");
    link(x, y);
  }

  void visit_elementwise(Node& node) {
    Value& y = *node.output(0);
    const std::size_t rank = y.shape().rank();
    for (Value* const input : node.inputs()) {  // first what the inputs lose, then what all lose
      const ChannelMask* const mask = mask_of(input);
      if (mask != nullptr) require(y, mask->axis + rank - input->shape().rank(), Channels(mask->removed));
    }
    const ChannelMask* const mask = mask_of(&y);
    if (mask == nullptr) return;
    const ChannelMask wanted = *mask;
    for (Value* const input : node.inputs()) {
      if (input == nullptr || is_weight(*input)) continue;
      const Shape shape = input->shape();
      if (!shape.known()) return fail(node, "reads a value of unknown rank");
      const std::size_t missing = rank - shape.rank();
      if (wanted.axis < missing) continue;
      const Dim extent = shape[wanted.axis - missing];
      if (extent.known() && extent.value() == 1) continue;
      require(*input, wanted.axis - missing, wanted.removed);
    }
  }

  void visit_per_channel(Node& node) {
    Value &x = *node.input(0), &y = *node.output(0);
    link(x, y);
    if (!problem_.empty()) return;
    const ChannelMask& mask = *mask_of(&y);
    std::size_t axis = 1;
    if (is_op(node, "MultiThreshold") || is_op(node, "QuantAvgPool2d")) {
      std::string layout = node.attr<std::string>("data_layout").value_or("");
      if (layout.empty()) layout = x.shape().rank() == 3 ? "NWC" : "NC";
      axis = layout.find('C');
    }
    if (mask.axis != axis) return fail(node, "has its channels along another axis");
    for (std::size_t i = 1; i < node.input_count(); ++i)
      if (node.input(i) != nullptr && !is_weight(*node.input(i)))
        return fail(node, "has parameters that are not constant");
  }

  void visit_transpose(Node& node) {
    const std::optional<Ints> order = order_of(node);
    if (!order) return fail(node, "has an order that is not known");
    const Ints back = inverse(*order);
    if (const ChannelMask* const mask = mask_of(node.input(0)))
      require(*node.output(0), static_cast<std::size_t>(back[mask->axis]), Channels(mask->removed));
    if (const ChannelMask* const mask = mask_of(node.output(0)))
      require(*node.input(0), static_cast<std::size_t>((*order)[mask->axis]), Channels(mask->removed));
  }

  /// How many elements of a row stand for one channel; 0 if this is no flattening of [N, C, ...] to [N, C * ...].
  static std::int64_t elements_per_channel(const Node& node) {
    const Shape from = node.input(0)->shape(), flat = node.output(0)->shape();
    if (from.rank() < 2 || flat.rank() != 2 || !same_size(from[0], flat[0])) return 0;
    std::int64_t count = 1;
    for (std::size_t i = 2; i < from.rank(); ++i) {
      if (!from[i].known()) return 0;
      count *= from[i].value();
    }
    return count;
  }

  void visit_flatten(Node& node) {
    const std::int64_t count = elements_per_channel(node);
    Value &x = *node.input(0), &y = *node.output(0);
    for (const Value* const value : {&x, &y})
      if (const ChannelMask* const mask = mask_of(value); count == 0 || (mask != nullptr && mask->axis != 1))
        return fail(node, "does not flatten all but the first axis");
    if (const ChannelMask* const mask = mask_of(&y)) {  // a channel goes whole
      Channels channels;
      for (const std::int64_t element : mask->removed) channels.insert(element / count);
      require(x, 1, channels);
    }
    if (const ChannelMask* const mask = mask_of(&x)) {
      Channels elements;
      for (const std::int64_t channel : mask->removed)
        for (std::int64_t i = 0; i < count; ++i) elements.insert(channel * count + i);
      require(y, 1, elements);
    }
  }

  void visit_pad(Node& node) {
    link(*node.input(0), *node.output(0));
    if (!problem_.empty()) return;
    const std::optional<Ints> pads = detail::given_integers(node, "pads", 1);
    const std::size_t axis = mask_of(node.output(0))->axis, rank = node.input(0)->shape().rank();
    if (!pads || node.input(3) != nullptr || pads->size() != 2 * rank || (*pads)[axis] != 0 ||
        (*pads)[axis + rank] != 0)
      fail(node, "may pad channels");
  }

  void visit_reduction(Node& node) {
    const std::optional<Ints> axes = detail::given_integers(node, "axes", 1);
    Value &x = *node.input(0), &y = *node.output(0);
    const auto rank = static_cast<std::int64_t>(x.shape().rank());
    const ChannelMask* const known = mask_of(&x) != nullptr ? mask_of(&x) : mask_of(&y);
    const auto axis = static_cast<std::int64_t>(known->axis);
    const bool keeps = node.attr<std::int64_t>("keepdims").value_or(1) != 0;
    if (!axes || axes->empty()) return fail(node, "reduces all axes");
    for (std::int64_t reduced : *axes) {
      if (reduced < 0) reduced += rank;
      if (reduced == axis || (!keeps && reduced < axis)) return fail(node, "reduces channels, or moves their axis");
    }
    link(x, y);
  }

  void visit_concat(Node& node) {
    Value& y = *node.output(0);
    const auto rank = static_cast<std::int64_t>(y.shape().rank());
    std::int64_t joined = node.attr<std::int64_t>("axis").value_or(1);
    if (joined < 0) joined += rank;
    std::int64_t offset = 0;
    for (Value* const input : node.inputs()) {
      const Shape shape = input->shape();
      if (joined < 0 || joined >= rank || shape.rank() != y.shape().rank() ||
          !shape[static_cast<std::size_t>(joined)].known())
        return fail(node, "joins values of unknown extents");
      const std::int64_t extent = shape[static_cast<std::size_t>(joined)].value();
      const ChannelMask* const own = mask_of(input);
      if (own != nullptr && static_cast<std::int64_t>(own->axis) != joined) {
        require(y, own->axis, Channels(own->removed));
      } else if (own != nullptr) {
        Channels moved;
        for (const std::int64_t channel : own->removed) moved.insert(channel + offset);
        require(y, own->axis, moved);
      }
      offset += extent;
    }
    const ChannelMask* const mask = mask_of(&y);
    if (mask == nullptr || !problem_.empty()) return;
    const ChannelMask wanted = *mask;
    offset = 0;
    for (Value* const input : node.inputs()) {
      const std::int64_t extent = input->shape()[static_cast<std::size_t>(joined)].value();
      const bool is_joined = static_cast<std::int64_t>(wanted.axis) == joined;
      Channels own;
      for (const std::int64_t channel : wanted.removed) {
        const std::int64_t at = is_joined ? channel - offset : channel;
        if (!is_joined || (at >= 0 && at < extent)) own.insert(at);
      }
      if (!own.empty() && is_weight(*input)) return fail(node, "joins a constant");
      require(*input, wanted.axis, own);
      offset += extent;
    }
  }

  // What follows edits.

  bool shrink_weight(Node& node, std::size_t i, std::size_t axis, const Channels& removed) {
    if (removed.empty()) return true;
    Value* const shrunk = edited_weight(
        *node.input(i),
        [&](const Tensor& x, bool is_parameter) -> std::optional<Tensor> {
          if (axis >= x.rank()) return x;
          return is_parameter && x.dims()[axis] == 1 ? x : without(x, axis, removed);
        },
        [](std::int64_t same) { return same; }, *rewriter_);
    if (shrunk == nullptr) return false;
    rewriter_->set_input(node.use(i), shrunk);
    return true;
  }

  Channels removed_of(const Value* value) const {
    const ChannelMask* const mask = mask_of(value);
    return mask != nullptr ? mask->removed : Channels();
  }

  bool shrink(Node& node) {
    if (is_product(node)) return shrink_product(node);
    if (is_elementwise(node)) return shrink_operands(node);
    const ChannelMask* const mask = mask_of(node.output(0));
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
      rewriter_->set_input(node.use(1), &rewriter_->ints(target, ""));
    }
    return true;
  }

  bool shrink_product(Node& node) {
    const Channels inputs = removed_of(node.input(0)), outputs = removed_of(node.output(0));
    const bool is_conv = node.is("Conv");
    const bool is_depthwise = is_conv && groups_of(node) != 1;
    const std::size_t axis = output_axis(node);
    if (!shrink_weight(node, 1, axis, outputs)) return false;
    if (is_depthwise) rewriter_->set_attribute(node, {"group", groups_of(node) - std::ssize(outputs)});
    if (!is_depthwise && !shrink_weight(node, 1, 1 - axis, inputs)) return false;
    if (node.input(2) == nullptr || outputs.empty()) return true;
    const std::optional<Tensor> bias = contents_of(*node.input(2));
    if (!bias) return false;
    if (bias->size() == 1 && !is_conv) return true;
    return bias->rank() == 0 || bias->dims().back() == 1 || shrink_weight(node, 2, bias->rank() - 1, outputs);
  }

  bool shrink_operands(Node& node) {
    const ChannelMask* const mask = mask_of(node.output(0));
    if (mask == nullptr) return true;
    const std::size_t rank = node.output(0)->shape().rank();
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      Value* const input = node.input(i);
      if (input == nullptr || mask_of(input) != nullptr || !is_weight(*input)) continue;
      const std::optional<Tensor> operand = contents_of(*input);
      if (!operand || operand->rank() > rank) return false;
      const std::size_t missing = rank - operand->rank();
      if (mask->axis < missing || operand->dims()[mask->axis - missing] == 1) continue;
      if (!shrink_weight(node, i, mask->axis - missing, mask->removed)) return false;
    }
    return true;
  }

  Graph& graph_;
  std::unordered_map<std::string_view, std::vector<Node*>> products_;  // by the weight's name
  Rewriter* rewriter_ = nullptr;
  std::unordered_map<Value*, ChannelMask> masks_;
  std::vector<Value*> changed_;
  std::string problem_;
};

}  // namespace detail

GRAFT_INLINE Pass prune_channels(ChannelMasks masks) {
  const auto run = [masks = std::move(masks)](Graph& graph, Context& context) {
    Report report;
    infer_shapes(graph, {.custom = context.shape_functions});
    detail::ChannelPruning pruning(graph);
    std::size_t pruned = 0;
    for (const auto& [weight, removed] : masks) {
      const std::vector<Node*> products = pruning.products_of(weight);
      if (products.empty()) throw Error("is the weight of no Conv, MatMul or Gemm").field(weight);
      for (Node* const product : products) {
        const std::optional<std::int64_t> channels = pruning.channels_of(*product);
        for (const std::int64_t channel : removed)
          if (channels && (channel < 0 || channel >= *channels))
            throw Error("has no output channel " + std::to_string(channel)).field(weight);
        if (channels && std::ssize(removed) == *channels)
          throw Error("would be left without output channels").field(weight);
        const std::string problem = channels ? pruning.add(*product, removed) : "its contents cannot be read";
        pruned += problem.empty() && !removed.empty() ? 1 : 0;
        if (problem.empty()) continue;
        report.notes.push_back("'" + weight + "' keeps its channels: " + problem);
        if (context.refusals) report.refusals.push_back({"prune_channels", display_name(*product), problem});
      }
    }
    if (pruned == 0) return report;
    Transaction transaction(graph);
    Rewriter rewriter(graph, context, {.values = "without some channels", .shapes = true});
    const bool is_done = pruning.apply(rewriter);
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
