#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/print.hpp>
#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Values that the attribute may be set to; some may not fit the node.
inline std::vector<Attribute> candidates(const Node& node, const schema::Attribute& fact) {
  const std::string name(fact.name());
  std::vector<Attribute> all;
  switch (fact.type) {
    case schema::AttributeType::int_:
      for (const std::int64_t value : {0, 1, 2, 3, -1}) all.emplace_back(name, value);
      break;
    case schema::AttributeType::float_:
      for (const float value : {0.25f, 0.5f, 2.0f}) all.emplace_back(name, value);
      break;
    case schema::AttributeType::string: {
      const std::pair<std::string_view, std::vector<std::string_view>> known[] = {
          {"auto_pad", {"SAME_UPPER", "SAME_LOWER", "VALID"}},
          {"mode", {"constant", "reflect", "edge", "wrap", "nearest", "linear", "cubic"}},
          {"approximate", {"none", "tanh"}},
          {"direction", {"forward", "reverse", "bidirectional", "LEFT", "RIGHT"}},
          {"coordinate_transformation_mode", {"half_pixel", "asymmetric", "align_corners"}},
      };
      for (const auto& [of, values] : known) {
        if (of != name) continue;
        for (const std::string_view value : values) all.emplace_back(name, value);
      }
      break;
    }
    case schema::AttributeType::ints: {
      const std::size_t rank = node.input(0) ? node.input(0)->shape().rank() : 0;
      const std::size_t spatial = rank - std::min<std::size_t>(rank, 2);
      for (const std::size_t length : {std::size_t{1}, spatial, 2 * spatial, rank}) {
        for (const std::int64_t element : {1, 2, 0})
          if (length != 0) all.emplace_back(name, Ints(length, element));
      }
      Ints order(rank);
      std::iota(order.begin(), order.end(), 0);
      all.emplace_back(name, order);
      all.emplace_back(name, Ints(order.rbegin(), order.rend()));
      if (rank > 1) std::rotate(order.begin(), order.begin() + 1, order.end());
      all.emplace_back(name, order);
      break;
    }
    default: break;
  }
  const onnx::AttributeProto* const present = node.attribute(name);
  std::erase_if(
      all, [&](const Attribute& one) { return present ? same(*present, one.proto()) : fact.is_default(one.proto()); });
  return all;
}

/// Each attribute that the schema knows, given and not given, has other values: at one node, and at all of one
/// operator.
inline void vary_attributes(Variations& into) {
  for (const Node& node : into.graph().nodes()) {
    if (node.schema() == nullptr) continue;
    std::vector<const Node*> alike;
    for (const Node& other : into.graph().nodes())
      if (other.op() == node.op()) alike.push_back(&other);
    for (const schema::Attribute& fact : node.schema()->attributes()) {
      for (const Attribute& value : candidates(node, fact)) {
        const std::string shown = to_string(value.proto());
        const std::string at = to_string(node.output(0));
        into.add_retyped(
            shown + " at " + at, [&](Graph& graph) { graph.set_attribute(same_place(graph, node), value); },
            std::string(fact.name()) + " at " + at);
        if (alike.size() == 1 || alike.front() != &node) continue;
        into.add_retyped(
            shown + " at every " + std::string(node.op_type()),
            [&](Graph& graph) {
              for (const Node* const other : alike) graph.set_attribute(same_place(graph, *other), value);
            },
            std::string(fact.name()) + " at every " + std::string(node.op_type()));
      }
    }
  }
}

/// Axes are counted from the other end.
inline void vary_axes(Variations& into) {
  for (const Node& node : into.graph().nodes()) {
    const Value* const counted = node.is("Unsqueeze") ? node.output(0) : node.input(0);
    if (counted == nullptr || !counted->shape().known()) continue;
    const auto rank = static_cast<std::int64_t>(counted->shape().rank());
    const auto mirrored = [&](std::int64_t axis) { return axis < 0 ? axis + rank : axis - rank; };
    for (const std::string_view name : {"axis", "axes"}) {
      const std::string shown = std::string(name) + " of " + to_string(node.output(0)) + " from the other end";
      const onnx::AttributeProto* const given = node.attribute(name);
      if (given != nullptr) {
        onnx::AttributeProto other = *given;
        other.set_i(mirrored(other.i()));
        for (std::int64_t& axis : *other.mutable_ints()) axis = mirrored(axis);
        into.add_retyped(shown, [&](Graph& graph) { graph.set_attribute(same_place(graph, node), Attribute(other)); });
        continue;
      }
      const auto place = node.schema() ? node.schema()->input_index(name) : std::nullopt;
      if (!place || node.input(*place) == nullptr || !node.input(*place)->is_constant()) continue;
      const Tensor constant = *node.input(*place)->constant();
      Ints axes = constant.to<std::int64_t>();
      for (std::int64_t& axis : axes) axis = mirrored(axis);
      into.add_retyped(shown, [&](Graph& graph) {
        Value& other = graph.add_initializer(Tensor::of(constant.dtype(), constant.dims(), axes), name);
        (void)graph.set_input(same_place(graph, node), *place, &other);  // an initializer closes no cycle
      });
    }
  }
}

}  // namespace graft::inline v1::detail
