#pragma once
// A model whose bytes are easy to tell, for tests of what happens to its files.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/graph/model.hpp>

#include "support/folder.hpp"

namespace graft::faults {

namespace fs = std::filesystem;

inline constexpr std::int64_t count = 4096;  // 16 KiB each
inline const SaveOptions outside{.external_data_over = 0};

inline Tensor filled(float value) { return Tensor::of<float>({count}, std::vector<float>(count, value)); }

/// Two weights that hold nothing but `value`.
inline Model model_of(float value) {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {count});
  Value& sum = b.op("Add", {&x, &b.constant(filled(value), "a")});
  b.output(b.op("Mul", {&sum, &b.constant(filled(value), "b")}), "y");
  return b.build();
}

/// The value that both weights of a model hold, and with it that the model is whole.
inline float value_of(const fs::path& file) {
  const Model model = Model::load(file);
  const auto a = model.graph().find("a")->constant()->to<float>(), b = model.graph().find("b")->constant()->to<float>();
  REQUIRE(a == b);
  REQUIRE(std::count(a.begin(), a.end(), a[0]) == count);
  return a[0];
}

/// Every file of a folder with its bytes.
inline std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = entry.is_regular_file() ? read_file(entry.path()) : "";
  return files;
}

inline std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> result;
  for (const auto& [name, bytes] : contents(folder)) result.push_back(name);
  return result;
}

}  // namespace graft::faults
