#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Removes optional inputs, and exchanges operands of commutative operators.
inline void vary_operands(Variations& into) {
  for (const Node& node : into.graph().nodes()) {
    const schema::Operator* const facts = node.schema();
    if (facts == nullptr) continue;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
      if (node.input(i) == nullptr || facts->input(i) == nullptr || facts->input(i)->option != schema::Option::optional)
        continue;
      into.add_retyped(to_string(node.output(0)) + " without input " + std::string(facts->input(i)->name()),
                       [&](Graph& graph) {
                         Node& copy = same_place(graph, node);
                         (void)graph.set_input(copy, i, nullptr);  // an absent input cannot close a cycle
                         std::size_t count = copy.input_count();
                         while (count > 0 && copy.input(count - 1) == nullptr) --count;
                         graph.resize_inputs(copy, count);
                       });
    }
    if (!facts->commutative() || node.input_count() < 2 || node.input(0) == node.input(1)) continue;
    into.add("the operands of " + to_string(node.output(0)) + " exchanged", [&](Graph& graph) {
      Node& copy = same_place(graph, node);
      Value *const first = copy.input(0), *const second = copy.input(1);
      (void)graph.set_input(copy, 0, second);  // both precede the node already
      (void)graph.set_input(copy, 1, first);
    });
  }
}

/// The graph at each other version of the main domain. Its meaning may change with the version.
inline void vary_opset(Variations& into) {
  for (int version = 1; version <= schema::newest_opset; ++version) {
    if (version == into.graph().opset()) continue;
    into.add_retyped("opset " + std::to_string(version), [&](Graph& graph) { graph.model().set_opset(version); });
  }
}

/// Values for the attribute; some may not fit the node.
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

/// Gives each attribute of the schema, present or absent, other values: at one node, and at all nodes of one operator.
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

/// Counts axes from the other end.
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
        (void)graph.set_input(same_place(graph, node), *place, &other);  // an initializer cannot close a cycle
      });
    }
  }
}

/// Changes f32 to another float dtype: inputs, constants, the dtypes of Cast and similar nodes; in bodies too.
class FloatsAs {
 public:
  explicit FloatsAs(DType dtype) : dtype_(dtype) {}

  /// Whether the graph has any f32.
  bool change(onnx::GraphProto& graph) {
    graph.clear_value_info();
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) change(*input.mutable_type());
    for (onnx::ValueInfoProto& output : *graph.mutable_output()) output.clear_type();
    for (onnx::TensorProto& initializer : *graph.mutable_initializer()) change(initializer);
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) change(attribute);
    }
    return changed_;
  }

 private:
  static constexpr int from = onnx::TensorProto::FLOAT;

  void change(onnx::TypeProto& type) {
    if (!type.has_tensor_type() || type.tensor_type().elem_type() != from) return;
    type.mutable_tensor_type()->set_elem_type(static_cast<int>(dtype_));
    changed_ = true;
  }
  void change(onnx::TensorProto& tensor) {
    if (tensor.data_type() != from || tensor.data_location() == onnx::TensorProto::EXTERNAL) return;
    const Tensor floats = read_tensor(tensor);
    write_tensor(Tensor::of(dtype_, floats.dims(), floats.to<double>()), tensor);
    changed_ = true;
  }
  void change(onnx::AttributeProto& attribute) {
    if (attribute.has_t()) change(*attribute.mutable_t());
    if (attribute.has_g()) change(*attribute.mutable_g());
    const bool names_dtype = attribute.name() == "to" || attribute.name() == "dtype";
    if (names_dtype && attribute.i() == from) attribute.set_i(static_cast<int>(dtype_));
  }

  DType dtype_;
  bool changed_ = false;
};

/// The graph in double and half precision. The verifier rejects dtypes that operators do not support.
inline void vary_dtype(Variations& into) {
  for (const DType dtype : {DType::f64, DType::f16}) {
    const auto change = [dtype](onnx::ModelProto& model) { return FloatsAs(dtype).change(*model.mutable_graph()); };
    if (onnx::ModelProto copy = into.base(); !change(copy)) return;
    // Each rounding of a half costs 2^-11 of the rounded value, which may be larger than the output.
    into.add_written("floats as " + std::string(to_string(dtype)), change, dtype == DType::f16 ? 0x1p-6 : 0);
  }
}

}  // namespace graft::inline v1::detail
