#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/qonnx.hpp>

#include "graft-qonnx/data_sets.hpp"
#include "graft-qonnx/rewrite.hpp"
#include "support/difference.hpp"
#include "support/inlined.hpp"
#include "support/table.hpp"
#include "support/writable.hpp"

struct ExecuteOptions {
  std::filesystem::path model, data, output;
  std::size_t random = 0;                     // number of random inputs, used instead of data
  std::map<std::string, std::int64_t> sizes;  // of symbolic dims of random inputs
  std::vector<std::string> values;            // tensors to write besides the outputs
  bool all_values = false;
};

/// The outputs first, then the other requested values, each once.
inline graft::Fetches fetches_of(const graft::Graph& graph, const ExecuteOptions& options) {
  graft::Fetches fetches;
  for (const graft::Value* const output : graph.outputs()) fetches.emplace_back(*output);
  std::set<std::string_view> asked;
  for (const std::string& name : options.values) {
    const graft::Value* const value = graph.find(name);
    if (value == nullptr) throw graft::Error("no tensor has this name").field(name);
    if (asked.insert(value->name()).second) fetches.emplace_back(*value);
  }
  if (options.all_values)
    for (const graft::Node& node : graph.nodes())
      for (const graft::Value& output : node.outputs())
        if (!output.name().empty() && !output.is_graph_output() && asked.insert(output.name()).second)
          fetches.emplace_back(output);
  return fetches;
}

/// The file names of the fetches. Throws graft::Error if two fetches would have the same file.
inline std::vector<std::string> stems_of(const graft::Fetches& fetches, const graft::Graph& graph,
                                         const ExecuteOptions& options) {
  std::vector<std::string> stems;
  std::map<std::string, std::string> taken;
  if (options.random != 0)
    for (std::size_t k = 0; k < required_inputs(graph).size(); ++k)
      taken["input_" + std::to_string(k)] = "an input";
  for (std::size_t k = 0; k < fetches.size(); ++k) {
    const std::string name(fetches[k].name());
    stems.push_back(k < graph.output_count() ? "output_" + std::to_string(k) : file_name_of(name));
    const auto [place, is_new] = taken.emplace(stems.back(), "'" + name + "'");
    if (!is_new)
      throw graft::Error("would be written to " + stems.back() + ".pb, as " + place->second + " is").field(name);
  }
  return stems;
}

/// Throws graft::Error for the size of a dim that no input has.
inline void check_sizes(const graft::Graph& graph, const std::map<std::string, std::int64_t>& sizes) {
  std::set<std::string_view> symbols;
  for (const graft::Value* const input : required_inputs(graph)) {
    const graft::Shape shape = input->shape();
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) symbols.insert(shape[axis].symbol());
  }
  for (const auto& [name, size] : sizes)
    if (symbols.count(name) == 0) throw graft::Error("no input has a dim of this name").field(name);
}

/// The tolerance for floats, relative to the largest magnitude of the output.
inline constexpr double tolerance = 1e-3;

/// Runs the model, and writes output_<k>.pb, and other values as <name>.pb. Compares outputs for which the data has
/// expected values: returns false if one differs.
inline bool execute(const ExecuteOptions& options) {
  namespace fs = std::filesystem;
  const graft::Model model = inlined(graft::Model::load(options.model.string()));
  const graft::Graph& graph = model.graph();
  const graft::Evaluator evaluator(graph, graft::qonnx::kernels());
  const graft::Fetches fetches = fetches_of(graph, options);
  const std::vector<std::string> stems = stems_of(fetches, graph, options);
  check_apart(options.output, {options.data});
  check_sizes(graph, options.sizes);
  const std::vector<fs::path> sets = options.random == 0 ? data_sets(options.data) : std::vector<fs::path>();
  graft::Random random(1);
  std::size_t compared = 0;
  bool is_as_expected = true;
  Difference difference;
  const std::size_t runs = std::max(sets.size(), options.random);
  for (std::size_t run = 0; run < runs; ++run) {
    const bool is_whole = !sets.empty() && sets[run] == options.data;
    const fs::path name = sets.empty() ? fs::path("test_data_set_" + std::to_string(run)) : sets[run].filename();
    const fs::path folder = is_whole ? options.output : options.output / name;
    fs::create_directories(folder);
    const graft::Feeds feeds = sets.empty() ? random_feeds(graph, options.sizes, random) : load_feeds(sets[run], graph);
    if (sets.empty())
      for (std::size_t k = 0; k < feeds.size(); ++k)
        graft::save_tensor(feeds[k].second, (folder / ("input_" + std::to_string(k) + ".pb")).string());
    std::vector<graft::Tensor> results;
    try {
      results = evaluator.run(feeds, fetches);
    } catch (graft::Error& error) {
      if (error.file().empty()) error.file(options.model.string());
      throw;
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
      const bool is_output = k < graph.output_count();
      const std::string& stem = stems[k];
      if (is_output && !sets.empty())
        if (const auto expected = find_tensor(sets[run], stem)) {
          ++compared;
          Difference own{INFINITY, INFINITY, stem};
          if (expected->dims() == results[k].dims()) {
            own = {};
            compare(*expected, results[k], stem, own);
          }
          is_as_expected = is_as_expected && own.relative <= tolerance;
          if (difference.output.empty() || own.largest > difference.largest) difference = own;
        }
      graft::save_tensor(std::move(results[k]), (folder / (stem + ".pb")).string());
    }
  }
  print_line("model", options.model.string());
  print_line("runs", std::to_string(runs));
  if (compared != 0) {
    char text[64];
    std::snprintf(text, sizeof text, "largest difference %.3g, in %zu outputs", difference.largest, compared);
    print_line("expected outputs", difference.largest == 0 ? counted(compared, "output") + " equal" : text);
  }
  print_line("wrote", options.output.string());
  return is_as_expected;
}
