#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph.hpp>

#include "graft-quantize/layers.hpp"

/// The contents of a picture of a graph: its nodes in topological order between inputs and outputs, without constants
/// and their DequantizeLinear. A Drawing outlives the graph.
class Drawing {
 public:
  explicit Drawing(const graft::Graph& graph) {
    for (const graft::Value* const input : graph.inputs())
      if (input->initializer() == nullptr) makers_[input] = add({"input", input->name(), input->name(), "end"});
    for (const graft::Node& node : graph.nodes()) {
      if (node.output_count() == 0 || node.output(0)->is_constant()) continue;
      if (graft::is_dequantize(node) && node.input(0) != nullptr && node.input(0)->is_constant()) continue;
      const std::size_t place =
          add({node.op_type(), node.name(), node.output(0)->name(), is_quantizer(node) ? "quantizer" : ""});
      for (const graft::Value* const input : node.inputs()) connect(input, place);
      for (const graft::Value& output : node.outputs()) makers_[&output] = place;
    }
    for (const graft::Value* const output : graph.outputs())
      connect(output, add({"output", output->name(), "", "end"}));
    makers_.clear();
  }

  /// Nodes that earlier passes merged into others get rows too.
  nlohmann::json json(Layers& layers) const {
    const std::vector<std::optional<std::size_t>> heirs = heirs_in(layers);
    std::set<std::size_t> taken;
    nlohmann::json nodes = nlohmann::json::array();
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Box& box = boxes_[i];
      nlohmann::json node{{"op", box.op}, {"name", box.name}, {"kind", box.kind}, {"layer", nullptr}};
      if (box.is_layer()) {
        const bool is_heir = heirs[i] && layers.rows()[*heirs[i]]["op"] == box.op && taken.insert(*heirs[i]).second;
        const bool is_own = layers.named(box.name) || (is_heir && box.name.empty());
        const std::size_t row = is_own ? *heirs[i] : layers.add_merged(box.op, box.name, box.tensor, heirs[i]);
        node["layer"] = row;
        node["kind"] = layers.rows()[row]["state"];
      }
      nodes.push_back(std::move(node));
    }
    return {{"nodes", nodes}, {"edges", edges_}};
  }

 private:
  struct Box {
    Box(std::string_view type, std::string_view node, std::string_view output, std::string_view of)
        : op(type), name(node), tensor(output), kind(of) {}
    bool is_layer() const { return kind.empty() || op == "input"; }
    std::string op, name, tensor, kind;  // kind: empty unless the node is a quantizer
  };

  std::size_t add(Box box) {
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }
  void connect(const graft::Value* value, std::size_t to) {
    if (const auto maker = makers_.find(value); maker != makers_.end()) edges_.emplace_back(maker->second, to);
  }

  /// The row of each box: its own, or that of the box into which it was merged, which is a reader or an input of it.
  std::vector<std::optional<std::size_t>> heirs_in(const Layers& layers) const {
    std::vector<std::optional<std::size_t>> heirs(boxes_.size());
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (!boxes_[i].is_layer()) continue;
      heirs[i] = layers.named(boxes_[i].name);
      if (!heirs[i]) heirs[i] = layers.making(boxes_[i].tensor);
    }
    for (auto edge = edges_.rbegin(); edge != edges_.rend(); ++edge)
      if (!heirs[edge->first]) heirs[edge->first] = heirs[edge->second];
    for (const auto& [from, to] : edges_)
      if (!heirs[to]) heirs[to] = heirs[from];
    return heirs;
  }

  std::vector<Box> boxes_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  std::map<const graft::Value*, std::size_t> makers_;
};
