#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/merge_models.hpp>

namespace graft::inline v1::detail {

/// Calls f with each node in the field, and in graphs within these nodes.
template <class Nodes, class F>
void for_each_node(Nodes& nodes, F&& f) {
  for (onnx::NodeProto& node : nodes) {
    f(node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) for_each_node(*attribute.mutable_g()->mutable_node(), f);
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) for_each_node(*graph.mutable_node(), f);
    }
  }
}

/// Whether a call of one function could mean the other.
inline bool is_called_as(const onnx::FunctionProto& a, const onnx::FunctionProto& b) {
  return a.name() == b.name() && canonical_domain(a.domain()) == canonical_domain(b.domain()) &&
         overload_of(a) == overload_of(b);
}

/// Prepares functions of one model for another. Equal functions are removed; other functions with a common name get the
/// prefix.
inline void tell_functions_apart(onnx::ModelProto& from, const onnx::ModelProto& to, const std::string& prefix) {
  const auto find = [](const onnx::ModelProto& model, const onnx::FunctionProto& function) {
    return std::find_if(model.functions().begin(), model.functions().end(),
                        [&](const onnx::FunctionProto& other) { return is_called_as(other, function); });
  };
  const bool differ = std::any_of(from.functions().begin(), from.functions().end(), [&](const auto& function) {
    const auto other = find(to, function);
    return other != to.functions().end() && other->SerializeAsString() != function.SerializeAsString();
  });
  auto& functions = *from.mutable_functions();
  for (int i = functions.size() - 1; i >= 0; --i) {
    if (find(to, functions[i]) == to.functions().end()) continue;
    if (!differ) {
      functions.DeleteSubrange(i, 1);
      continue;
    }
    const onnx::FunctionProto old = functions[i];
    onnx::FunctionProto named = old;
    do named.set_name(prefix.empty() ? named.name() + '_' : prefix + named.name());
    while (find(to, named) != to.functions().end() || find(from, named) != from.functions().end());
    functions[i].set_name(named.name());
    const auto rename = [&](onnx::NodeProto& node) {
      if (node.op_type() == old.name() && canonical_domain(node.domain()) == canonical_domain(old.domain()) &&
          overload_of(node) == overload_of(old))
        node.set_op_type(named.name());
    };
    for_each_node(*from.mutable_graph()->mutable_node(), rename);
    for (onnx::FunctionProto& function : functions) for_each_node(*function.mutable_node(), rename);
  }
}

/// Prepares a model for another one, which finds external data in `there`. Reads tensors that the other model could not
/// find, because they are in another folder, or that only one of the models may read outside its folder. Throws Error
/// if one cannot be read, or is external without a location.
inline void bring_data(onnx::ModelProto& model, const ExternalData& data, const ExternalData& there) {
  const bool is_elsewhere = data.folder() != there.folder() || data.allows_outside() != there.allows_outside();
  const auto bring = [&](onnx::TensorProto& tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    if (!is_elsewhere && !ExternalData::is_stowed(tensor) && !data.is_held(external_location(tensor).location)) return;
    const std::string name = tensor.name();
    write_tensor(read_tensor(onnx::TensorProto(tensor), &data), tensor);
    tensor.set_name(name);
  };
  for_each_tensor(*model.mutable_graph(), bring);
  for (onnx::FunctionProto& function : *model.mutable_functions()) for_each_tensor(*function.mutable_node(), bring);
}

/// The value that feeds the input: an output of the first model, or an input that both share.
struct Connection {
  Value* output;
  Value* input;
  bool is_shared;
};

inline void check_types(const Connection& connection) {
  const Value &output = *connection.output, &input = *connection.input;
  if (output.type() == nullptr || input.type() == nullptr) return;
  const Shape given = output.shape(), taken = input.shape();
  bool agrees = output.type()->value_case() == input.type()->value_case() && output.dtype() == input.dtype() &&
                (!given.known() || !taken.known() || given.rank() == taken.rank());
  for (std::size_t axis = 0; agrees && given.known() && axis < taken.rank(); ++axis)
    agrees = !given[axis].known() || !taken[axis].known() || given[axis] == taken[axis];
  if (!agrees)
    throw Error("takes " + to_string(*input.type()) + ", and '" + std::string(output.name()) + "' is " +
                to_string(*output.type()))
        .field(input.name());
}

/// The connections in the options. By default, outputs feed inputs of their names or, if there are none, in order.
/// Throws Error if a type does not match, or an input has two connections.
inline std::vector<Connection> connections_of(Graph& from, Graph& to, const MergeOptions& options) {
  std::vector<std::pair<std::string, std::string>> names = options.connections;
  if (names.empty()) {
    for (const Value* const output : from.outputs())
      if (const Value* const input = own_value(to, output->name()); input != nullptr && input->is_graph_input())
        names.emplace_back(output->name(), input->name());
  }
  if (names.empty()) {
    std::vector<std::string> inputs;
    for (const Value* const input : to.inputs())
      if (input->initializer() == nullptr) inputs.emplace_back(input->name());
    if (inputs.size() != from.output_count())
      throw Error("no output of the first model has the name of an input of the second, and their numbers differ");
    for (std::size_t i = 0; i < inputs.size(); ++i) names.emplace_back(from.output(i)->name(), inputs[i]);
  }
  std::vector<Connection> connections;
  std::unordered_set<const Value*> fed;
  for (const auto& [output, input] : names) {
    connections.push_back({&output_called(from, output), &input_called(to, input), false});
    if (!fed.insert(connections.back().input).second) throw Error("has two connections").field(input);
  }
  for (Value* const input : to.inputs()) {
    Value* const twin = own_value(from, input->name());
    if (!options.shares_inputs || fed.count(input) != 0 || twin == nullptr || !twin->is_graph_input()) continue;
    connections.push_back({twin, input, true});
  }
  for (const Connection& connection : connections) check_types(connection);
  return connections;
}

}  // namespace graft::inline v1::detail
