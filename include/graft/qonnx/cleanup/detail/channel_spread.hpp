#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/cleanup/detail/channel_product.hpp>
#include <graft/qonnx/cleanup/detail/masked_values.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

/// Follows channels to remove from their producer to their last readers.
class ChannelSpread {
 public:
  explicit ChannelSpread(Graph& graph) : masks_(graph) {}

  const MaskedValues& masks() const { return masks_; }

  /// Returns the reason if the channels cannot be removed; "" if they can. Then later calls follow them too.
  std::string add(Node& product, const Channels& removed) {
    const MaskedValues before = masks_;
    masks_.require(*product.output(0), product.is("Conv") ? 1 : product.output(0)->shape().rank() - 1, removed);
    while (Value* const value = masks_.next_changed()) {
      if (value->producer() != nullptr) visit(*value->producer());
      for (Node& user : value->users()) visit(user);
    }
    const std::string problem = masks_.problem();
    if (!problem.empty()) masks_ = before;
    return problem;
  }

 private:
  void visit(Node& node) {
    if (!masks_.problem().empty()) return;
    if (!is_elementwise(node) && !node.is("Concat")) {
      for (std::size_t i = 1; i < node.input_count(); ++i)
        if (masks_.mask_of(node.input(i)) != nullptr) return masks_.fail(node, "reads the channels as a parameter");
    }
    if (is_channel_product(node)) return visit_product(node);
    if (node.output_count() == 0) return masks_.fail(node, "has no output");
    for (std::size_t i = 1; i < node.output_count(); ++i)
      if (node.output(i)->is_used()) return masks_.fail(node, "has a second output that is used");
    constexpr std::array<std::string_view, 6> pools{"MaxPool",       "AveragePool", "GlobalAveragePool",
                                                    "GlobalMaxPool", "LpPool",      "BatchNormalization"};
    const bool is_standard = node.domain().empty();
    if (is_elementwise(node)) return visit_elementwise(node);
    if ((is_standard && std::ranges::find(pools, node.op_type()) != pools.end()) || is_op(node, "QuantAvgPool2d") ||
        is_op(node, "MultiThreshold"))
      return visit_per_channel(node);
    if (node.is("Dropout")) return masks_.link(*node.input(0), *node.output(0));
    if (node.is("Transpose")) return visit_transpose(node);
    if (node.is("Flatten") || node.is("Reshape")) return visit_flatten(node);
    if (node.is("Pad")) return visit_pad(node);
    if (node.is("Concat")) return visit_concat(node);
    if (is_standard && node.op_type().starts_with("Reduce")) return visit_reduction(node);
    masks_.fail(node, "may mix channels");
  }

  void visit_product(Node& node) {
    Value &x = *node.input(0), &y = *node.output(0);
    if (node.input(1) == nullptr || !is_weight(*node.input(1)))
      return masks_.fail(node, "has a weight that is not constant");
    const std::optional<Tensor> weight = contents_of(*node.input(1));
    if (!weight) return masks_.fail(node, "has a weight that cannot be read");
    if (node.is("Conv") ? weight->rank() < 3 : weight->rank() != 2)
      return masks_.fail(node, "has a weight of another rank");
    if (node.input(2) != nullptr && masks_.mask_of(&y) != nullptr && !is_weight(*node.input(2)))
      return masks_.fail(node, "has a bias that is not constant");
    const std::size_t axis = node.is("Conv") ? 1 : x.shape().rank() - 1;
    for (const Value* const value : {&x, &y})
      if (const ChannelMask* const mask = masks_.mask_of(value); mask != nullptr && mask->axis != axis)
        return masks_.fail(node, "sums over another axis than that of the channels");
    if (node.attr<std::int64_t>("transA").value_or(0) != 0) return masks_.fail(node, "transposes its input");
    if (!node.is("Conv") || groups_of(node) == 1) return;
    if (weight->dims()[1] != 1 || groups_of(node) != weight->dims()[0])
      return masks_.fail(node, "is in groups, and not depthwise");
    masks_.link(x, y);
  }

  void visit_elementwise(Node& node) {
    Value& y = *node.output(0);
    const std::size_t rank = y.shape().rank();
    for (Value* const input : node.inputs()) {  // first collects the losses of each input, then applies them to all
      const ChannelMask* const mask = masks_.mask_of(input);
      if (mask != nullptr) masks_.require(y, mask->axis + rank - input->shape().rank(), Channels(mask->removed));
    }
    const ChannelMask* const mask = masks_.mask_of(&y);
    if (mask == nullptr) return;
    const ChannelMask wanted = *mask;
    for (Value* const input : node.inputs()) {
      if (input == nullptr || is_weight(*input)) continue;
      const Shape shape = input->shape();
      if (!shape.known()) return masks_.fail(node, "reads a value of unknown rank");
      const std::size_t missing = rank - shape.rank();
      if (wanted.axis < missing) continue;
      const Dim extent = shape[wanted.axis - missing];
      if (extent.known() && extent.value() == 1) continue;
      masks_.require(*input, wanted.axis - missing, wanted.removed);
    }
  }

  void visit_per_channel(Node& node) {
    Value &x = *node.input(0), &y = *node.output(0);
    masks_.link(x, y);
    if (!masks_.problem().empty()) return;
    const ChannelMask& mask = *masks_.mask_of(&y);
    std::size_t axis = 1;
    if (is_op(node, "MultiThreshold") || is_op(node, "QuantAvgPool2d")) {
      std::string layout = node.attr<std::string>("data_layout").value_or("");
      if (layout.empty()) layout = x.shape().rank() == 3 ? "NWC" : "NC";
      axis = layout.find('C');
    }
    if (mask.axis != axis) return masks_.fail(node, "has its channels along another axis");
    for (std::size_t i = 1; i < node.input_count(); ++i)
      if (node.input(i) != nullptr && !is_weight(*node.input(i)))
        return masks_.fail(node, "has parameters that are not constant");
  }

  void visit_transpose(Node& node) {
    const std::optional<Ints> order = order_of(node);
    if (!order) return masks_.fail(node, "has an unknown order of axes");
    const Ints back = inverse(*order);
    if (const ChannelMask* const mask = masks_.mask_of(node.input(0)))
      masks_.require(*node.output(0), static_cast<std::size_t>(back[mask->axis]), Channels(mask->removed));
    if (const ChannelMask* const mask = masks_.mask_of(node.output(0)))
      masks_.require(*node.input(0), static_cast<std::size_t>((*order)[mask->axis]), Channels(mask->removed));
  }

  /// The number of row elements for one channel; 0 if this is not a flattening of [N, C, ...] to [N, C * ...].
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
      if (const ChannelMask* const mask = masks_.mask_of(value); count == 0 || (mask != nullptr && mask->axis != 1))
        return masks_.fail(node, "does not flatten all but the first axis");
    if (const ChannelMask* const mask = masks_.mask_of(&y)) {  // whole channels are removed
      Channels channels;
      for (const std::int64_t element : mask->removed) channels.insert(element / count);
      masks_.require(x, 1, channels);
    }
    if (const ChannelMask* const mask = masks_.mask_of(&x)) {
      Channels elements;
      for (const std::int64_t channel : mask->removed)
        for (std::int64_t i = 0; i < count; ++i) elements.insert(channel * count + i);
      masks_.require(y, 1, elements);
    }
  }

  void visit_pad(Node& node) {
    masks_.link(*node.input(0), *node.output(0));
    if (!masks_.problem().empty()) return;
    const std::optional<Ints> pads = detail::given_integers(node, "pads", 1);
    const std::size_t axis = masks_.mask_of(node.output(0))->axis, rank = node.input(0)->shape().rank();
    if (!pads || node.input(3) != nullptr || pads->size() != 2 * rank || (*pads)[axis] != 0 ||
        (*pads)[axis + rank] != 0)
      masks_.fail(node, "may pad channels");
  }

  void visit_reduction(Node& node) {
    const std::optional<Ints> axes = detail::given_integers(node, "axes", 1);
    Value &x = *node.input(0), &y = *node.output(0);
    const auto rank = static_cast<std::int64_t>(x.shape().rank());
    const ChannelMask* const known = masks_.mask_of(&x) != nullptr ? masks_.mask_of(&x) : masks_.mask_of(&y);
    const auto axis = static_cast<std::int64_t>(known->axis);
    const bool keeps = node.attr<std::int64_t>("keepdims").value_or(1) != 0;
    if (!axes || axes->empty()) return masks_.fail(node, "reduces all axes");
    for (std::int64_t reduced : *axes) {
      if (reduced < 0) reduced += rank;
      if (reduced == axis || (!keeps && reduced < axis))
        return masks_.fail(node, "reduces channels, or moves their axis");
    }
    masks_.link(x, y);
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
        return masks_.fail(node, "joins values of unknown extents");
      const std::int64_t extent = shape[static_cast<std::size_t>(joined)].value();
      const ChannelMask* const own = masks_.mask_of(input);
      if (own != nullptr && static_cast<std::int64_t>(own->axis) != joined) {
        masks_.require(y, own->axis, Channels(own->removed));
      } else if (own != nullptr) {
        Channels moved;
        for (const std::int64_t channel : own->removed) moved.insert(channel + offset);
        masks_.require(y, own->axis, moved);
      }
      offset += extent;
    }
    const ChannelMask* const mask = masks_.mask_of(&y);
    if (mask == nullptr || !masks_.problem().empty()) return;
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
      if (!own.empty() && is_weight(*input)) return masks_.fail(node, "joins a constant");
      masks_.require(*input, wanted.axis, own);
      offset += extent;
    }
  }

  MaskedValues masks_;
};

}  // namespace graft::inline v1::qonnx::detail
