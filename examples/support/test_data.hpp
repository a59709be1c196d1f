#pragma once
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/tensor_proto.hpp>

#include "support/samples.hpp"

/// The number in "input_12.pb"; -1 if there is none.
inline int input_number(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const auto mark = stem.rfind('_');
  if (stem.rfind("input_", 0) != 0 || stem.find_first_not_of("0123456789", mark + 1) != std::string::npos) return -1;
  return std::stoi(stem.substr(mark + 1));
}

inline graft::Tensor read_tensor_file(const std::filesystem::path& path) {
  const auto proto = std::make_shared<onnx::TensorProto>();
  std::ifstream file(path, std::ios::binary);
  if (!file || !proto->ParseFromIstream(&file)) throw graft::Error("holds no ONNX tensor").file(path.string());
  try {
    return graft::read_tensor(*proto, nullptr, proto);
  } catch (graft::Error& error) {
    throw error.file(path.string());
  }
}

/// ONNX test data: a folder of test_data_set_*/input_*.pb, or of *.pb, each a sample of a model with one input.
inline Samples test_data_samples(const std::filesystem::path& folder, const graft::Model& model) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs;
  for (const graft::Value* const input : model.graph().inputs())
    if (input->initializer() == nullptr) inputs.emplace_back(input->name());
  std::vector<std::vector<fs::path>> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && entry.path().filename().string().rfind("test_data_set_", 0) == 0) {
      std::vector<fs::path>& set = sets.emplace_back(inputs.size());
      for (const auto& file : fs::directory_iterator(entry.path())) {
        const int number = input_number(file.path());
        if (number >= 0 && static_cast<std::size_t>(number) < inputs.size())
          set[static_cast<std::size_t>(number)] = file.path();
      }
    } else if (entry.path().extension() == ".pb" && inputs.size() == 1) {
      sets.push_back({entry.path()});
    }
  }
  std::sort(sets.begin(), sets.end());
  return {sets.size(), [=](std::size_t i) {
            graft::Feeds feeds;
            for (std::size_t k = 0; k < inputs.size(); ++k) {
              if (sets[i][k].empty())
                throw graft::Error("a test data set lacks input_" + std::to_string(k) + ".pb").file(folder.string());
              feeds.emplace_back(inputs[k], read_tensor_file(sets[i][k]));
            }
            return feeds;
          }};
}
