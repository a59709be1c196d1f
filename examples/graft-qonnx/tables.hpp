#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx.hpp>

#include "graft-qonnx/execute.hpp"
#include "graft-qonnx/rewrite.hpp"
#include "support/inlined.hpp"
#include "support/random_feeds.hpp"

inline void print_json(const nlohmann::json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

/// Sets open extents of inputs: to the size of their symbol, or 1. Returns the shapes of the changed inputs. Throws
/// graft::Error for the size of a symbol that no input has.
inline std::map<std::string, graft::Dims> close_input_shapes(graft::Model& model,
                                                             const std::map<std::string, std::int64_t>& sizes) {
  check_sizes(model.graph(), sizes);
  std::map<std::string, graft::Dims> closed;
  for (const graft::Value* const input : required_inputs(model.graph())) {
    const graft::Shape shape = input->shape();
    if (shape.known() && !shape.dims()) closed.emplace(input->name(), closed_dims(shape, sizes));
  }
  graft::qonnx::set_input_shapes(closed).run(model);
  return closed;
}

inline void print_cost(const std::filesystem::path& path, const graft::qonnx::InferenceCostOptions& options,
                       const std::map<std::string, std::int64_t>& sizes, bool as_json) {
  graft::Model model = inlined(graft::Model::load(path.string()));
  const std::map<std::string, graft::Dims> closed = close_input_shapes(model, sizes);
  const graft::qonnx::InferenceCost cost = graft::qonnx::inference_cost(model.graph(), options);
  if (!as_json) {
    for (const auto& [name, dims] : closed)
      std::cout << "with " << name << " " << to_string(graft::Shape(std::span<const std::int64_t>(dims))) << "\n";
    std::cout << cost;
    return;
  }
  nlohmann::json nodes = nlohmann::json::array(), uncounted = nlohmann::json::array();
  for (const graft::qonnx::NodeCost& node : cost.nodes)
    nodes.push_back({{"node", node.node}, {"op_type", node.op_type}, {"cost", to_map(node.cost)}});
  for (const auto& [node, why] : cost.uncounted) uncounted.push_back({{"node", node}, {"why", why}});
  print_json({{"total", to_map(cost.total)},
              {"input_shapes", closed},
              {"accumulated_bops", cost.total.accumulated_bops},
              {"nodes", nodes},
              {"uncounted", uncounted},
              {"other_operators", cost.other_operators}});
}

/// Prints the data types of node outputs. With an output file, writes them to the model's annotations.
inline void print_data_types(const Files& files, bool as_json) {
  graft::Model model = inlined(graft::Model::load(files.model.string()));
  const graft::qonnx::DataTypes types = graft::qonnx::infer_data_types(model.graph());
  nlohmann::json json = nlohmann::json::object();
  const auto show = [&](const graft::Value& value) {
    if (value.name().empty()) return;
    const std::string type = to_string(types.of(value)), name(value.name());
    if (as_json) json[name] = type;
    else std::printf("%-24s %s\n", type.c_str(), name.c_str());
  };
  for (const graft::Value* const input : model.graph().inputs()) show(*input);
  for (const graft::Node& node : model.graph().nodes())
    for (const graft::Value& output : node.outputs()) show(output);
  if (as_json) print_json(json);
  if (files.output.empty()) return;
  check_apart(files.output, data_files(model));
  write_data_types(model, types);
  model.save(files.output.string());
}

/// Whether at least one side of a range is finite.
inline bool is_known(const graft::qonnx::TensorRange& range) {
  const graft::qonnx::TensorRange whole = range.whole();
  return std::isfinite(whole.min.front()) || std::isfinite(whole.max.front());
}

/// Writes infinity as null.
inline nlohmann::json to_json(const std::vector<double>& numbers) {
  nlohmann::json list = nlohmann::json::array();
  for (const double number : numbers) list.push_back(std::isfinite(number) ? nlohmann::json(number) : nlohmann::json());
  return list;
}

inline nlohmann::json to_json(const graft::qonnx::TensorRange& range) {
  nlohmann::json json{{"min", to_json(range.min)}, {"max", to_json(range.max)}};
  if (range.is_per_channel()) json["axis"] = range.axis;
  if (!range.step.empty()) json["step"] = to_json(range.step);
  if (range.step.size() > 1) json["step_axis"] = range.step_axis;
  return json;
}

inline std::string to_text(const graft::qonnx::TensorRange& range) {
  const graft::qonnx::TensorRange whole = range.whole();
  char text[64];
  std::snprintf(text, sizeof text, "[%.6g, %.6g]", whole.min.front(), whole.max.front());
  return text;
}

/// Prints the ranges of node outputs, the accumulators that sums of integers need, and channels that never change.
inline void print_ranges(const std::filesystem::path& path,
                         const std::map<std::string, graft::qonnx::TensorRange, std::less<>>& inputs, bool as_json) {
  graft::Model model = inlined(graft::Model::load(path.string()));
  const graft::qonnx::PropagatedRanges found = graft::qonnx::propagate_ranges(model.graph(), inputs);
  nlohmann::json ranges = nlohmann::json::object(), accumulators = nlohmann::json::array(),
                 stuck = nlohmann::json::array(), unknown = nlohmann::json::array();
  for (const graft::Node& node : model.graph().nodes())
    for (const graft::Value& output : node.outputs()) {
      const graft::qonnx::TensorRange* const range = found.find(output);
      if (range == nullptr || !is_known(*range)) continue;
      if (as_json) ranges[std::string(output.name())] = to_json(*range);
      else std::printf("%-28s %s\n", to_text(*range).c_str(), std::string(output.name()).c_str());
    }
  for (const graft::qonnx::Accumulator& sum : found.accumulators) {
    const std::string node = graft::display_name(*sum.node), type = to_string(sum.type);
    if (as_json) accumulators.push_back({{"node", node}, {"type", type}});
    else std::printf("accumulator %-16s %s\n", type.c_str(), node.c_str());
  }
  for (const graft::qonnx::StuckChannel& channel : found.stuck) {
    const std::string name(channel.value->name());
    if (as_json) stuck.push_back({{"tensor", name}, {"channel", channel.channel}, {"value", channel.number}});
    else std::printf("stuck at %-19g channel %zu of %s\n", channel.number, channel.channel, name.c_str());
  }
  for (const auto& [node, why] : found.unknown) {
    if (as_json) unknown.push_back({{"node", graft::display_name(*node)}, {"why", why}});
    else std::printf("unknown after %s: %s\n", graft::display_name(*node).c_str(), why.c_str());
  }
  if (as_json)
    print_json({{"ranges", ranges}, {"accumulators", accumulators}, {"stuck", stuck}, {"unknown", unknown}});
}
