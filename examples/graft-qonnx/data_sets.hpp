#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>

#include "support/npy.hpp"
#include "support/random_feeds.hpp"

/// The ONNX test data in a folder: its test_data_set_* folders in order, or the folder itself if it has none.
inline std::vector<std::filesystem::path> data_sets(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) throw graft::Error("is not a folder").file(folder.string());
  std::vector<std::filesystem::path> sets;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename().string().rfind("test_data_set_", 0) == 0)
      sets.push_back(entry.path());
  std::sort(sets.begin(), sets.end());
  if (sets.empty()) sets.push_back(folder);
  return sets;
}

/// Loads the first of these files that exists: <stem>.pb or <stem>.npy.
inline std::optional<graft::Tensor> find_tensor(const std::filesystem::path& folder, const std::string& stem) {
  const std::string path = (folder / stem).string();
  if (std::filesystem::exists(path + ".pb")) return graft::load_tensor(path + ".pb");
  if (std::filesystem::exists(path + ".npy")) return load_npy(path + ".npy");
  return std::nullopt;
}

/// Makes a file name of a tensor name.
inline std::string file_name_of(std::string_view tensor) {
  std::string name(tensor);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

/// Loads a tensor for each input that must be fed: input_<k>, or the file with the input's name. Throws graft::Error
/// for an input without a file.
inline graft::Feeds load_feeds(const std::filesystem::path& folder, const graft::Graph& graph) {
  graft::Feeds feeds;
  std::size_t number = 0;
  for (const graft::Value* const input : required_inputs(graph)) {
    const std::string numbered = "input_" + std::to_string(number++), name(input->name());
    std::optional<graft::Tensor> tensor;
    try {
      tensor = find_tensor(folder, numbered);
      if (!tensor) tensor = find_tensor(folder, file_name_of(name));
    } catch (graft::Error& error) {
      throw error.field(name);
    }
    if (!tensor)
      throw graft::Error("has no " + numbered + ".pb or .npy for the input '" + name + "'").file(folder.string());
    feeds.emplace_back(name, *std::move(tensor));
  }
  return feeds;
}
