#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verify.hpp>

namespace graft::inline v1::detail {

/// The problems that verify() finds in a model.
inline std::vector<std::string> problems(Model& model) {
  std::vector<std::string> texts;
  for (const Problem& problem : verify(model)) texts.push_back(to_string(problem));
  return texts;
}

/// The contradiction between two types: another dtype, rank or extent, or a missing type.
inline std::optional<std::string> type_difference(const Value& before, const Value& after) {
  if (before.type() == nullptr) return std::nullopt;
  const std::string was = to_string(*before.type());
  if (after.type() == nullptr) return to_string(&before) + " has no type, was " + was;
  const Shape a = before.shape(), b = after.shape();
  bool fits = before.dtype() == after.dtype() && (!a.known() || !b.known() || a.rank() == b.rank());
  for (std::size_t axis = 0; fits && a.known() && b.known() && axis < a.rank(); ++axis)
    fits = !a[axis].known() || !b[axis].known() || a[axis] == b[axis];
  if (fits) return std::nullopt;
  return to_string(&before) + " is " + to_string(*after.type()) + ", was " + was;
}

/// The difference between the signatures of two models: names, order and types of inputs and outputs.
inline std::optional<std::string> signature_difference(const Graph& before, const Graph& after) {
  const auto names = [](const auto& values) {
    std::string text;
    for (const Value* const value : values) text += (text.empty() ? "" : ", ") + to_string(value);
    return text;
  };
  const std::string inputs[] = {names(before.inputs()), names(after.inputs())};
  const std::string outputs[] = {names(before.outputs()), names(after.outputs())};
  if (inputs[0] != inputs[1]) return "the inputs are " + inputs[1] + ", were " + inputs[0];
  if (outputs[0] != outputs[1]) return "the outputs are " + outputs[1] + ", were " + outputs[0];
  for (std::size_t i = 0; i < before.inputs().size(); ++i)
    if (auto difference = type_difference(*before.inputs()[i], *after.inputs()[i])) return difference;
  for (std::size_t i = 0; i < before.output_count(); ++i)
    if (auto difference = type_difference(*before.output(i), *after.output(i))) return difference;
  return std::nullopt;
}

/// Remains that a rewrite may leave behind: nodes without effect, unused initializers, entries for removed values.
inline std::vector<std::string> litter(const Model& model) {
  std::vector<std::string> found;
  for (const Graph* const scope : model.scopes()) {
    std::unordered_set<std::string_view> names;
    for (const Node& node : scope->nodes()) {
      bool used = false;
      for (const Value& output : node.outputs()) used = used || output.use_count() != 0;
      if (!used) found.push_back("a node without effect: " + to_string(node));
      for (const Value& output : node.outputs()) names.insert(output.name());
    }
    for (const Value* const value : scope->initializers()) {
      names.insert(value->name());
      if (value->use_count() == 0 && !value->is_graph_input())
        found.push_back("an initializer without use: " + to_string(value));
    }
    for (const Value* const value : scope->inputs()) names.insert(value->name());
    if (scope->proto() == nullptr) continue;
    for (const onnx::ValueInfoProto& info : scope->proto()->value_info())
      if (!names.contains(info.name())) found.push_back("a type for a value that is not there: %" + info.name());
    for (const onnx::TensorAnnotation& annotation : scope->proto()->quantization_annotation())
      if (!names.contains(annotation.tensor_name()))
        found.push_back("an annotation of a value that is not there: %" + annotation.tensor_name());
  }
  return found;
}

/// The first element of `after` that is not in `before`. Sorts both.
inline std::optional<std::string> first_new(std::vector<std::string> before, std::vector<std::string> after) {
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  std::vector<std::string> fresh;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(fresh));
  if (fresh.empty()) return std::nullopt;
  return fresh.front();
}

}  // namespace graft::inline v1::detail
