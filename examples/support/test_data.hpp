#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_file.hpp>
#include <graft/graph/whole_file.hpp>

#include "support/npz.hpp"
#include "support/samples.hpp"

/// The number behind a prefix: 12 in "input_12".
inline std::optional<std::size_t> number_behind(std::string_view word, std::string_view text) {
  if (!text.starts_with(word) || text.size() == word.size()) return {};
  std::size_t number = 0;
  const auto read = std::from_chars(text.data() + word.size(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return {};
  return number;
}

/// The folder or the only file of a sample, and its files.
struct TestDataSet {
  std::filesystem::path place;
  std::vector<std::filesystem::path> files;
};

/// Reads the tensors of a data set for the inputs of a model.
class TestDataReader {
 public:
  explicit TestDataReader(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  std::size_t input_count() const { return inputs_.size(); }
  /// Whether a file may belong to a sample: a tensor or arrays of numpy, except for outputs.
  static bool is_sample(const std::filesystem::path& file) {
    const std::filesystem::path extension = file.extension();
    return (extension == ".pb" || extension == ".npy" || extension == ".npz") &&
           !file.filename().string().starts_with("output_");
  }

  /// Throws graft::Error naming the file, and the entry or the input, for a tensor that cannot be read or belongs to no
  /// input, and for a second tensor of an input. Throws graft::Error naming the folder for an input without a tensor.
  graft::Sample read(const TestDataSet& set) const {
    graft::Sample sample({}, set.place.string());
    std::vector<std::optional<graft::Tensor>> tensors(inputs_.size());
    std::vector<std::string> from(inputs_.size());
    const auto take = [&](std::optional<std::size_t> input, graft::Tensor tensor, const std::filesystem::path& file,
                          const std::string& entry) {
      const auto refused = [&](const std::string& why) { return graft::Error(why).file(file.string()).field(entry); };
      if (!input) throw refused("belongs to none of the inputs " + list());
      if (tensors[*input]) throw refused("is a second tensor for '" + inputs_[*input] + "', beside " + from[*input]);
      tensors[*input] = std::move(tensor);
      from[*input] = file.string();
    };
    for (const std::filesystem::path& file : set.files) {
      const std::string stem = file.stem().string();
      if (file.extension() == ".npz") {
        std::vector<std::pair<std::string, graft::Tensor>> arrays = load_npz(file.string());
        for (auto& [name, array] : arrays) {
          std::optional<std::size_t> input = named(name);
          if (!input) input = numbered("arr_", name);  // numpy.savez(file, x, y)
          if (!input && inputs_.size() == 1 && arrays.size() == 1) input = 0;
          take(input, std::move(array), file, name);
        }
        continue;
      }
      const bool is_array = file.extension() == ".npy";
      std::optional<std::size_t> input;
      if (set.files.size() == 1 && inputs_.size() == 1) input = 0;
      if (!input && !is_array) input = named(tensor_name(file));
      if (!input) input = named(stem);
      if (!input && number_behind("input_", stem).value_or(0) >= inputs_.size()) continue;  // an initializer's
      if (!input) input = numbered("input_", stem);
      if (!input && !is_array) continue;  // another file in the folder
      take(input, is_array ? load_npy(file.string()) : graft::load_tensor(file.string()), file, "");
    }
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      if (!tensors[k])
        throw graft::Error("lacks input_" + std::to_string(k) + ".pb, for '" + inputs_[k] + "'")
            .file(set.place.string());
      sample.feeds.emplace_back(inputs_[k], *std::move(tensors[k]));
      sample.files.push_back(from[k]);
    }
    return sample;
  }

 private:
  /// The name of the tensor in a file; empty if the file holds no tensor.
  static std::string tensor_name(const std::filesystem::path& file) {
    onnx::TensorProto proto;
    return proto.ParseFromString(graft::read_whole(file.string())) ? proto.name() : std::string();
  }
  /// The input of that name; in file names, '_' replaces '/'.
  std::optional<std::size_t> named(const std::string& name) const {
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      std::string as_file = inputs_[k];
      std::replace(as_file.begin(), as_file.end(), '/', '_');
      if (name == inputs_[k] || name == as_file) return k;
    }
    return std::nullopt;
  }
  std::optional<std::size_t> numbered(std::string_view word, std::string_view text) const {
    const std::optional<std::size_t> number = number_behind(word, text);
    return number && *number < inputs_.size() ? number : std::nullopt;
  }
  std::string list() const {
    std::string text;
    for (const std::string& input : inputs_) text += (text.empty() ? "'" : ", '") + input + "'";
    return text;
  }

  std::vector<std::string> inputs_;
};

/// Tensors in files: a folder of test_data_set_*, each with a file for each input; or of files that are a sample each:
/// *.npz with an array for each input, *.pb and *.npy for a model with one input. A *.pb is of the input whose name it
/// holds, else as "input_0.pb" of the input with that number; a *.npy, "input_0.npy" or "name.npy", likewise. Files
/// called output_* are left out.
inline Samples test_data_samples(const std::filesystem::path& folder, const graft::Model& model) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs;
  for (const graft::Value* const input : model.graph().inputs())
    if (input->initializer() == nullptr) inputs.emplace_back(input->name());
  const TestDataReader reader(std::move(inputs));
  std::vector<TestDataSet> sets;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_")) {
      sets.push_back({entry.path(), {}});
      for (const auto& file : fs::directory_iterator(entry.path()))
        if (reader.is_sample(file.path())) sets.back().files.push_back(file.path());
      std::ranges::sort(sets.back().files);
    } else if (reader.is_sample(entry.path()) && (reader.input_count() == 1 || entry.path().extension() == ".npz")) {
      sets.push_back({entry.path(), {entry.path()}});
    }
  }
  std::ranges::sort(sets, {}, &TestDataSet::place);
  return {sets.size(), [=](std::size_t i) { return reader.read(sets[i]); },
          [=](std::size_t i) { return name_of(sets[i].place, sets[i].files); }, "ONNX test data"};
}
