#pragma once
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <graft/evaluate.hpp>
#include <graft/evaluate/onnxruntime_api.hpp>
#include <graft/graph.hpp>

/// The times that the runtime reports for a node. After its optimizations the operator may be another one.
struct NodeTimes {
  std::string op;
  std::vector<std::string> input_dtypes;  // "float", "uint8"
  double results = 0;                     // number of output elements
  std::vector<double> nanoseconds;        // of each run

  /// A low quantile, which other programs disturb least. The runtime truncates times to microseconds.
  double time() const {
    std::vector<double> sorted = nanoseconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 10] + 500;
  }
};

/// A new temporary folder, which is deleted with its contents, also if a run throws.
class ProfileFolder {
 public:
  ProfileFolder() : path_((std::filesystem::temp_directory_path() / "graft-tune-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw graft::Error("cannot be made").file(path_);
  }
  ~ProfileFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ProfileFolder(const ProfileFolder&) = delete;
  ProfileFolder& operator=(const ProfileFolder&) = delete;
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

/// The profile of a session on one thread, by names of nodes.
class Profile {
 public:
  /// model: the bytes of a model; folder: that of its external data.
  Profile(const std::string& bytes, const std::filesystem::path& folder, const graft::Feeds& feeds, int runs) {
    const ProfileFolder profiles;
    const std::filesystem::path file = record(bytes, folder, feeds, runs, profiles.path() / "profile");
    std::ifstream stream(file);
    const nlohmann::json events = nlohmann::json::parse(stream, nullptr, false);
    if (!events.is_array()) throw graft::Error("the runtime's profile is not JSON").file(file.string());
    for (const nlohmann::json& event : events) add(event);
  }

  const std::multimap<std::string, NodeTimes>& nodes() const { return nodes_; }

 private:
  std::filesystem::path record(const std::string& bytes, const std::filesystem::path& folder,
                               const graft::Feeds& feeds, int runs, const std::filesystem::path& prefix) const {
    const auto options = api_.make(api_->ReleaseSessionOptions, [&](OrtSessionOptions** made) {
      return api_->CreateSessionOptions(made);
    });
    api_.check(api_->SetIntraOpNumThreads(options.get(), 1));
    api_.check(api_->SetSessionLogSeverityLevel(options.get(), ORT_LOGGING_LEVEL_FATAL));
    api_.check(api_->AddSessionConfigEntry(options.get(), "session.model_external_initializers_file_folder_path",
                                           folder.c_str()));
    api_.check(api_->EnableProfiling(options.get(), prefix.c_str()));
    const auto session = api_.make(api_->ReleaseSession, [&](OrtSession** made) {
      return api_->CreateSessionFromArray(&api_.environment(), bytes.data(), bytes.size(), options.get(), made);
    });
    std::vector<std::string> names;
    std::vector<std::shared_ptr<OrtValue>> values;
    for (const auto& [ref, tensor] : feeds) {
      names.emplace_back(ref.name());
      values.push_back(api_.borrowed(tensor));
    }
    const std::vector<std::string> outputs = api_.output_names(*session);
    for (int i = 0; i < runs; ++i) api_.run(*session, names, values, outputs);
    OrtAllocator* allocator = nullptr;
    char* file = nullptr;
    api_.check(api_->GetAllocatorWithDefaultOptions(&allocator));
    api_.check(api_->SessionEndProfiling(session.get(), allocator, &file));
    const std::filesystem::path result(file);
    api_.check(api_->AllocatorFree(allocator, file));
    return result;
  }

  /// {"cat": "Node", "name": "conv_kernel_time", "dur": 254, "args": {"op_name": "Conv", "input_type_shape": ...}}
  void add(const nlohmann::json& event) {
    const std::string ending = "_kernel_time", name = event.value("name", "");
    if (event.value("cat", "") != "Node" || name.size() < ending.size() ||
        name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
      return;
    const nlohmann::json& arguments = event.at("args");
    const std::string key = name.substr(0, name.size() - ending.size());
    // Names need not be unique, but positions in the optimized graph are.
    const std::string place = key + '\n' + arguments.value("node_index", "");
    auto found = places_.find(place);
    if (found == places_.end()) {
      NodeTimes times;
      times.op = arguments.value("op_name", "");
      for (const nlohmann::json& type : arguments.at("input_type_shape"))
        for (const auto& [dtype, dims] : type.items()) times.input_dtypes.push_back(dtype);
      for (const nlohmann::json& type : arguments.at("output_type_shape"))
        for (const auto& [dtype, dims] : type.items()) times.results += elements_of(dims);
      found = places_.emplace(place, nodes_.emplace(key, std::move(times))).first;
    }
    found->second->second.nanoseconds.push_back(1e3 * event.at("dur").get<double>());
  }
  static double elements_of(const nlohmann::json& dims) {
    return std::accumulate(dims.begin(), dims.end(), 1.0,
                           [](double product, const nlohmann::json& dim) { return product * dim.get<double>(); });
  }

  graft::OnnxRuntimeApi api_;
  std::multimap<std::string, NodeTimes> nodes_;
  std::map<std::string, std::multimap<std::string, NodeTimes>::iterator> places_;
};
