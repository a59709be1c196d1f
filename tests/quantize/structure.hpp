#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>

/// What graphs are apart from the names in them and the order of independent nodes: operators, attributes, edges, the
/// bytes of constants, inputs and outputs. Values that are made alike have one number, in all graphs that one
/// Structures has seen.
class Structures {
 public:
  /// Equal for graphs that are the same in these respects.
  std::vector<std::string> of(const graft::Graph& graph) {
    numbers_.clear();
    std::vector<std::string> parts;
    for (const graft::Node& node : graph.nodes()) {
      parts.push_back(describe(node));
      for (std::size_t i = 0; i < node.output_count(); ++i)
        numbers_[node.output(i)] = intern(parts.back() + std::to_string(i));
    }
    for (const graft::Value* const value : graph.initializers())
      if (value->use_count() == 0) parts.push_back("unused initializer");
    std::sort(parts.begin(), parts.end());
    for (const graft::Value* const input : graph.inputs()) parts.push_back("input " + std::string(input->name()));
    for (const graft::Value* const output : graph.outputs())
      parts.push_back("output " + std::string(output->name()) + " " + std::to_string(number(*output)));
    return parts;
  }

 private:
  std::string describe(const graft::Node& node) {
    std::string text = std::string(node.domain()) + "::" + std::string(node.op_type()) + "(";
    for (const graft::Value* const input : node.inputs()) text += std::to_string(input ? number(*input) : 0) + ",";
    std::vector<std::string> attributes;
    for (const onnx::AttributeProto& attribute : node.proto().attribute())
      attributes.push_back(attribute.SerializeAsString());
    std::sort(attributes.begin(), attributes.end());
    for (const std::string& attribute : attributes) text += attribute + ";";
    return text + ")";
  }
  std::size_t number(const graft::Value& value) {
    if (const auto known = numbers_.find(&value); known != numbers_.end()) return known->second;
    std::string text = "input " + std::string(value.name());
    if (const auto tensor = value.constant()) {
      text = graft::to_string(tensor->dtype(), tensor->dims());
      text.append(reinterpret_cast<const char*>(tensor->bytes().data()), tensor->bytes().size());
    }
    return numbers_[&value] = intern(text);
  }
  std::size_t intern(const std::string& text) { return texts_.try_emplace(text, texts_.size() + 1).first->second; }

  std::map<std::string, std::size_t> texts_;
  std::map<const graft::Value*, std::size_t> numbers_;
};
