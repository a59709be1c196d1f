#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/tensor_file.hpp>

#include "support/samples.hpp"

/// The number in "input_12.pb".
inline std::optional<std::size_t> input_number(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string_view head = "input_", tail = ".pb";
  if (name.size() <= head.size() + tail.size() || name.rfind(head, 0) != 0 || path.extension() != tail) return {};
  std::size_t number = 0;
  const char* const end = name.data() + name.size() - tail.size();
  const auto read = std::from_chars(name.data() + head.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return {};
  return number;
}

/// A sample's folder or only file, and the file of each input of the model.
struct TestDataSet {
  std::filesystem::path place;
  std::vector<std::filesystem::path> files;
};

/// ONNX test data: a folder of test_data_set_*/input_*.pb; or of *.pb, each a sample of a model with one input, but
/// for output_*.pb.
inline Samples test_data_samples(const std::filesystem::path& folder, const graft::Model& model) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs;
  for (const graft::Value* const input : model.graph().inputs())
    if (input->initializer() == nullptr) inputs.emplace_back(input->name());
  std::vector<TestDataSet> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && entry.path().filename().string().rfind("test_data_set_", 0) == 0) {
      sets.push_back({entry.path(), std::vector<fs::path>(inputs.size())});
      for (const auto& file : fs::directory_iterator(entry.path()))
        if (const auto number = input_number(file.path()); number && *number < inputs.size())
          sets.back().files[*number] = file.path();
    } else if (entry.path().extension() == ".pb" && inputs.size() == 1 &&
               entry.path().filename().string().rfind("output_", 0) != 0) {
      sets.push_back({entry.path(), {entry.path()}});
    }
  }
  std::sort(sets.begin(), sets.end(),
            [](const TestDataSet& a, const TestDataSet& b) { return a.place < b.place; });
  return {sets.size(), [=](std::size_t i) {
            graft::Sample sample({}, sets[i].place.string());
            for (std::size_t k = 0; k < inputs.size(); ++k) {
              const fs::path& file = sets[i].files[k];
              if (file.empty())
                throw graft::Error("lacks input_" + std::to_string(k) + ".pb, for '" + inputs[k] + "'")
                    .file(sets[i].place.string());
              sample.feeds.emplace_back(inputs[k], graft::load_tensor(file));
              sample.files.push_back(file.string());
            }
            return sample;
          },
          [=](std::size_t i) { return name_of(sets[i].place, sets[i].files); }, "ONNX test data"};
}
