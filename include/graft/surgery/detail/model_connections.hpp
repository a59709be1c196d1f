#pragma once
#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/merge_models.hpp>

namespace graft::inline v1::detail {

/// What feeds the input: an output of the first, or an input that both share.
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

/// Those that the options name; by default outputs feed inputs of their names or, if there are none, in their order.
/// Throws Error if a type does not fit, or an input is fed twice.
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
      throw Error("no output of the first model bears the name of an input of the second, and they are not as many");
    for (std::size_t i = 0; i < inputs.size(); ++i) names.emplace_back(from.output(i)->name(), inputs[i]);
  }
  std::vector<Connection> connections;
  std::unordered_set<const Value*> fed;
  for (const auto& [output, input] : names) {
    connections.push_back({&output_called(from, output), &input_called(to, input), false});
    if (!fed.insert(connections.back().input).second) throw Error("is fed twice").field(input);
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
