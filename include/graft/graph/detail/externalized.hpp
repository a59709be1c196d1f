#pragma once
// Initializers in a data file beside their model: written aside and renamed, so that the file is whole or not there.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <graft/graph/detail/message_file.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/file_aside.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1::detail {

/// Initializers that stand in a data file while their model is written. The protos get their bytes back afterwards.
class Externalized {
 public:
  /// over: smallest size that moves out. Tensors whose data is external already move along when the model goes to
  /// another folder.
  Externalized(const std::vector<onnx::TensorProto*>& tensors, const ExternalData& source,
               const std::string& model_file, std::optional<std::size_t> over)
      : tensors_(tensors), source_(source), data_path_(model_file + ".data") {
    std::error_code failure;
    std::filesystem::path folder = std::filesystem::path(model_file).parent_path();
    if (folder.empty()) folder = ".";
    const bool same_folder = std::filesystem::equivalent(folder, source.folder(), failure) && !failure;
    std::vector<onnx::TensorProto*> elsewhere;
    std::set<std::filesystem::path> kept;  // the files that the model goes on reading: none of them may be replaced
    for (onnx::TensorProto* const tensor : tensors_) {
      if (tensor->data_location() != onnx::TensorProto::EXTERNAL) continue;
      if (same_folder)
        kept.insert(folder / location_of(*tensor));
      else
        elsewhere.push_back(tensor);
    }
    const auto is_kept = [&kept](const std::filesystem::path& path) {
      return std::any_of(kept.begin(), kept.end(), [&](const auto& file) { return is_one_file(file, path); });
    };
    if (is_kept(model_file)) throw Error("holds weights of the model, which it would replace").file(model_file);
    for (int i = 1; is_kept(data_path_); ++i) data_path_ = model_file + '.' + std::to_string(i) + ".data";
    for (onnx::TensorProto* const tensor : elsewhere) take(*tensor);
    if (over) move_out(*over);
  }
  Externalized(const Externalized&) = delete;
  Externalized& operator=(const Externalized&) = delete;
  ~Externalized() {
    for (Moved& moved : moved_) {
      moved.tensor->clear_external_data();
      moved.tensor->clear_data_location();
      if (moved.was_external) {
        *moved.tensor->mutable_external_data() = std::move(moved.entries);
        moved.tensor->set_data_location(onnx::TensorProto::EXTERNAL);
      } else {
        moved.tensor->set_raw_data(std::move(moved.raw));
      }
    }
  }

  bool active() const { return !moved_.empty(); }
  void move_out(std::size_t over) {
    for (onnx::TensorProto* const tensor : tensors_)
      if (tensor->data_location() != onnx::TensorProto::EXTERNAL && tensor->raw_data().size() > over) take(*tensor);
  }
  void write();
  void publish() {
    if (aside_) aside_->publish();
  }

 private:
  struct Moved {
    onnx::TensorProto* tensor;
    std::string raw;
    bool was_external;
    google::protobuf::RepeatedPtrField<onnx::StringStringEntryProto> entries;
    Tensor mapped;
  };

  static std::string location_of(const onnx::TensorProto& tensor) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data())
      if (entry.key() == "location") return entry.value();
    return {};
  }

  static bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code failure;
    if (std::filesystem::equivalent(a, b, failure)) return true;
    const std::filesystem::path one = std::filesystem::weakly_canonical(a, failure);
    return !failure && one == std::filesystem::weakly_canonical(b, failure) && !failure;
  }

  void take(onnx::TensorProto& tensor) {
    Moved moved{&tensor, {}, tensor.data_location() == onnx::TensorProto::EXTERNAL, {}, {}};
    if (moved.was_external) {
      moved.mapped = read_tensor(tensor, &source_);
      moved.entries.Swap(tensor.mutable_external_data());
    } else {
      moved.raw = std::move(*tensor.mutable_raw_data());
      tensor.clear_raw_data();
    }
    const std::size_t size = moved.was_external ? moved.mapped.bytes().size() : moved.raw.size();
    const auto set = [&tensor](const char* key, const std::string& value) {
      onnx::StringStringEntryProto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    };
    offset_ = (offset_ + alignment - 1) / alignment * alignment;
    set("location", data_path_.filename().string());
    set("offset", std::to_string(offset_));
    set("length", std::to_string(size));
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    offset_ += size;
    moved_.push_back(std::move(moved));
  }

  static constexpr std::size_t alignment = 4096;  // so that readers can map any tensor by itself
  const std::vector<onnx::TensorProto*>& tensors_;
  const ExternalData& source_;
  std::filesystem::path data_path_;
  std::size_t offset_ = 0;
  std::vector<Moved> moved_;
  std::optional<FileAside> aside_;
};

inline void Externalized::write() {
  if (!active()) return;
  aside_.emplace(data_path_);
  try {
    FileDescriptor file(aside_->path(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    std::size_t at = 0;
    for (const Moved& moved : moved_) {
      at = (at + alignment - 1) / alignment * alignment;
      const char* bytes =
          moved.was_external ? reinterpret_cast<const char*>(moved.mapped.bytes().data()) : moved.raw.data();
      std::size_t left = moved.was_external ? moved.mapped.bytes().size() : moved.raw.size();
      while (left > 0) {
        const ssize_t written = ::pwrite(file.get(), bytes, left, static_cast<off_t>(at));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) throw Error(std::string("cannot be written: ") + std::strerror(errno));
        bytes += written;
        at += static_cast<std::size_t>(written);
        left -= static_cast<std::size_t>(written);
      }
    }
    file.close();
  } catch (const Error& error) {
    throw Error(error.message()).file(data_path_.string());
  }
}

}  // namespace graft::inline v1::detail
