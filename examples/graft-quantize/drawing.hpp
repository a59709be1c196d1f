#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph.hpp>

#include "graft-quantize/layers.hpp"

/// What a picture of a graph shows: its nodes in topological order, but for constants and what dequantizes them,
/// between its inputs and outputs. It outlives the graph.
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

  nlohmann::json json(const Layers& layers) const {
    nlohmann::json nodes = nlohmann::json::array();
    for (const Box& box : boxes_) {
      const bool is_layer = box.kind.empty() || box.op == "input";
      const nlohmann::json row = is_layer ? layers.row_of(box.name, box.tensor) : nullptr;
      const nlohmann::json kind = !box.kind.empty() ? nlohmann::json(box.kind)
                                  : row.is_null()   ? nlohmann::json("float")
                                                    : layers.rows()[row.get<std::size_t>()]["state"];
      nodes.push_back({{"op", box.op}, {"name", box.name}, {"kind", kind}, {"layer", row}});
    }
    return {{"nodes", nodes}, {"edges", edges_}};
  }

 private:
  struct Box {
    Box(std::string_view type, std::string_view node, std::string_view output, std::string_view of)
        : op(type), name(node), tensor(output), kind(of) {}
    std::string op, name, tensor, kind;  // kind: empty for what may be a layer
  };

  std::size_t add(Box box) {
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }
  void connect(const graft::Value* value, std::size_t to) {
    if (const auto maker = makers_.find(value); maker != makers_.end()) edges_.emplace_back(maker->second, to);
  }

  std::vector<Box> boxes_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
  std::map<const graft::Value*, std::size_t> makers_;
};
