#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::raise {

inline const Graph& root_of(const Graph& graph) {
  const Graph* root = &graph;
  while (root->parent() != nullptr) root = root->parent();
  return *root;
}
inline bool is_in_function(const Graph& graph) { return root_of(graph).is_function(); }

/// Raises one node from one version of its operator to a newer one.
struct Step {
  Node& node;
  const schema::Operator& from;
  const schema::Operator& to;
  int target;  // the opset that the model is raised to
  /// Makes a constant in the node's scope; equal ones are shared.
  std::function<Value&(Tensor, std::string_view hint)> constant;

  [[noreturn]] void refuse(const std::string& why, std::string_view field = {}) const {
    const bool is_inside = is_in_function(node.graph());
    throw Error(std::string(node.op_type()) + "-" + std::to_string(from.since_version) + " cannot be raised to opset " +
                std::to_string(target) + ": " + why +
                (is_inside ? "; call inline_functions() (InlineFunctions) first" : ""))
        .node(display_name(node))
        .field(field)
        .file(node.graph().model().file());
  }
  /// Sets an input of the node, and adds inputs before it if necessary.
  void set_input(std::size_t position, Value* value) const {
    if (node.input_count() <= position) node.graph().resize_inputs(node, position + 1);
    if (!node.graph().set_input(node, position, value)) refuse("its new input would close a cycle");
  }
};

namespace detail {

/// The dtype of an input that was an attribute: fixed, or that of the first input if both have one type group.
inline DType dtype_of_input(const Step& step, std::size_t position) {
  const schema::Parameter& wanted = step.to.inputs()[position];
  if (const auto only = step.to.type(wanted).only()) return *only;
  if (step.to.inputs()[0].type != wanted.type || step.node.input(0) == nullptr) return DType::f32;
  const DType dtype = step.node.input(0)->dtype();
  if (dtype != DType::undefined) return dtype;
  if (is_in_function(step.node.graph())) step.refuse("the dtype of its inputs is unknown");
  return DType::f32;
}

inline Tensor contents(const Step& step, const onnx::AttributeProto& attribute, std::size_t position) {
  switch (kind(attribute)) {
    case onnx::AttributeProto::FLOAT: return Tensor::scalar(dtype_of_input(step, position), attribute.f());
    case onnx::AttributeProto::INT: return Tensor::list(Ints{attribute.i()});
    case onnx::AttributeProto::INTS: return Tensor::list(read<Ints>(attribute));
    case onnx::AttributeProto::FLOATS: return Tensor::list(read<Floats>(attribute));
    default: step.refuse("the type of its attribute cannot be an input", attribute.name());
  }
}

inline void write_default(Step& step, const schema::Attribute& known) {
  Graph& graph = step.node.graph();
  const std::string name(known.name());
  if (const auto number = known.default_as<std::int64_t>()) return graph.set_attribute(step.node, {name, *number});
  if (const auto number = known.default_as<float>()) return graph.set_attribute(step.node, {name, *number});
  if (const auto text = known.default_as<std::string>()) return graph.set_attribute(step.node, {name, *text});
  step.refuse("the default of an attribute has changed", known.name());
}

/// Attributes that never affect the result: buffers that may be reused, and whether an output is wanted.
inline bool is_hint(std::string_view attribute) {
  return attribute == "consumed_inputs" || attribute == "output_sequence";
}

}  // namespace detail

/// Raises a node by the schema alone. Attributes that became inputs become constants. A removed attribute must have its
/// default. A changed default is written explicitly. Throws Error if this does not suffice.
inline void raise_parameters(Step& step) {
  Node& node = step.node;
  Graph& graph = node.graph();
  for (const schema::Attribute& known : step.from.attributes()) {
    const schema::Place place = schema::parameter(step.to, known.name());
    const onnx::AttributeProto* const given = node.attribute(known.name());
    if (place.kind == schema::Place::Kind::attribute) {
      const schema::Attribute& now = step.to.attributes()[place.index];
      if (now.type != known.type) {  // an absent one means the same: p of LpPool is 2.0, then 2
        if (given != nullptr) step.refuse("the attribute has another type there", known.name());
        continue;
      }
      if (given == nullptr && known.kind != schema::Default::none && !known.same_default(now))
        detail::write_default(step, known);
      continue;
    }
    if (given == nullptr) continue;
    if (is_reference(*given)) step.refuse("its value is a parameter of a function", known.name());
    if (place.kind == schema::Place::Kind::input) {
      step.set_input(place.index, &step.constant(detail::contents(step, *given, place.index), known.name()));
    } else if (!known.is_default(*given) && !detail::is_hint(known.name())) {
      step.refuse("the attribute was removed", known.name());
    }
    graph.remove_attribute(node, known.name());
  }
  if (!step.to.accepts_inputs(node.input_count())) step.refuse("it has too many or too few inputs", "input");
  if (!step.to.accepts_outputs(node.output_count())) step.refuse("it has too many outputs", "output");
}

}  // namespace graft::inline v1::raise
