#pragma once
#include <graft/precision/detail/float_writer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/precision/detail/float_facts.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void FloatWriter::write(const FloatPlan& plan) {
  std::vector<Edit> edits;
  std::vector<Node*> nodes;
  for (Graph* const scope : plan.scopes()) {
    const auto add = [&](Value& value) {
      if (conversion_.converts(value)) edits.push_back(edit_of(value, plan));
    };
    for (Value* const input : scope->inputs()) add(*input);
    for (Value* const value : scope->initializers())
      if (!value->is_graph_input()) add(*value);
    for (Node& node : scope->nodes()) {
      if (plan.converts(node)) nodes.push_back(&node);
      for (Value& output : node.outputs()) add(output);
    }
  }
  for (Node* const node : nodes) write_attributes(*node);
  for (const Edit& edit : edits) write(edit);
  pass_names_on();
}

GRAFT_INLINE FloatWriter::Edit FloatWriter::edit_of(Value& value, const FloatPlan& plan) const {
  std::vector<Use*> converting, staying;
  for (Use& use : value.uses()) (plan.converts(use) ? converting : staying).push_back(&use);
  const bool converts = is_in_model(value) ? staying.empty() && !converting.empty() : plan.converts(value);
  return {&value, converts, converts ? staying : converting};
}

GRAFT_INLINE void FloatWriter::write(const Edit& edit) {
  if (is_in_model(*edit.value)) return write_stored(edit);
  Value& value = *edit.value;
  Graph& graph = value.graph();
  onnx::TypeProto other = value.type() != nullptr ? *value.type() : tensor_type(value.dtype(), value.shape());
  if (edit.converts) {
    retype(value);
    if (const onnx::TensorProto* const overridable = value.initializer()) {
      graph.set_initializer(value, converted(read_tensor(*overridable, model_->external_data())));
      ++tensors_;
    }
  } else {
    set_element_dtype(other, conversion_.to);
  }
  if (edit.others.empty()) return;
  Node* const next = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
  const DType dtype = element_dtype(other);
  Node& cast = graph.insert("Cast", {&value}, 1, {{"to", dtype}}, next,
                            std::string(value.name()) + "_" + std::string(to_string(dtype)));
  graph.set_type(*cast.output(0), other);
  ++casts_;
  rewire(value, *cast.output(0), edit.others);
}

GRAFT_INLINE void FloatWriter::write_stored(const Edit& edit) {
  if (!edit.converts && edit.others.empty()) return;
  Value& value = *edit.value;
  Graph& graph = value.graph();
  ++tensors_;
  if (!edit.converts) {
    Value& copy = graph.add_initializer(converted(*value.constant()),
                                        std::string(value.name()) + "_" + std::string(to_string(conversion_.to)));
    return rewire(value, copy, edit.others);
  }
  if (Node* const node = value.producer()) {
    Tensor tensor = converted(*value.constant());
    for (const std::string_view name : {"value_float", "value_floats"})
      if (node->attribute(name) != nullptr) graph.remove_attribute(*node, name);
    graph.set_attribute(*node, {"value", std::move(tensor)});
  } else {
    graph.set_initializer(value, converted(*value.constant()));
  }
  retype(value);
}

/// Finite elements stay finite.
GRAFT_INLINE Tensor FloatWriter::converted(const Tensor& tensor) const {
  std::vector<float> elements = tensor.to<float>();
  if (!conversion_.widens()) {
    const auto largest = static_cast<float>(FloatRange::of(conversion_.to).largest);
    for (float& element : elements)
      if (std::isfinite(element)) element = std::clamp(element, -largest, largest);
  }
  return Tensor::of(conversion_.to, tensor.dims(), elements);
}

/// Converts tensors in attributes, and dtypes of outputs, named or by default. Dtypes of sums within a node change only
/// to float32.
GRAFT_INLINE void FloatWriter::write_attributes(Node& node) {
  Graph& graph = node.graph();
  const auto set = [&](std::string_view name) {
    const std::optional<std::int64_t> dtype = node.attr<std::int64_t>(name);
    if (!dtype || !conversion_.converts(static_cast<DType>(*dtype))) return;
    graph.set_attribute(node, {name, conversion_.to});
    ++dtypes_;
  };
  for (const schema::Attribute& attribute : node.schema()->attributes()) {
    const std::string_view name = attribute.name();
    const bool is_output = name == "to" || name == "dtype" || name == "output_dtype" || name == "output_datatype";
    if (is_output || (conversion_.widens() && (name == "stash_type" || name == "softmax_precision"))) set(name);
  }
  if (const onnx::AttributeProto* const type = node.attribute("type"); type != nullptr && type->has_tp()) {
    onnx::AttributeProto changed = *type;
    set_element_dtype(*changed.mutable_tp(), conversion_.to);
    graph.set_attribute(node, Attribute(std::move(changed)));
    ++dtypes_;
  }
  if (node.is("SequenceEmpty") && node.attribute("dtype") == nullptr) {
    graph.set_attribute(node, {"dtype", conversion_.to});
    ++dtypes_;
  }
  const onnx::AttributeProto* const value = node.attribute("value");
  if (node.is("ConstantOfShape")) {
    Tensor tensor = Tensor::of(conversion_.to, {1}, {0.f});
    if (value != nullptr) tensor = converted(read_tensor(value->t(), model_->external_data()));
    graph.set_attribute(node, {"value", std::move(tensor)});
    ++tensors_;
  }
}

GRAFT_INLINE void FloatWriter::rewire(Value& from, Value& to, const std::vector<Use*>& uses) {
  bool is_named = false;
  for (Use* const use : uses) {
    if (!use->is_graph_output()) {
      if (!use->graph().set_input(*use, &to)) throw Error("a Cast behind it would close a cycle").field(from.name());
      continue;
    }
    const bool is_main = &use->graph() == &model_->graph();
    use->graph().set_output(use->index(), to);
    if (is_main && !is_named) names_.emplace_back(&to, &from);
    is_named = is_named || is_main;
  }
}

GRAFT_INLINE void FloatWriter::retype(Value& value) {
  ++dtypes_;
  if (value.type() == nullptr) return;
  onnx::TypeProto type = *value.type();
  set_element_dtype(type, conversion_.to);
  value.graph().declare_type(value, type);
}

GRAFT_INLINE void FloatWriter::pass_names_on() {
  for (const auto& [taker, giver] : names_) {
    const std::string name(giver->name());
    giver->graph().rename(*giver, giver->graph().fresh_name(name + "_" + std::string(to_string(giver->dtype()))));
    taker->graph().rename(*taker, name);
    taker->graph().declare_type(*taker, onnx::TypeProto(*taker->type()));
  }
}

}  // namespace graft::inline v1::detail
