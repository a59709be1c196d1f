#pragma once
// Saves initializers to a data file beside their model, as a whole or not at all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <graft/graph/atomic_file.hpp>
#include <graft/graph/detail/file_descriptor.hpp>
#include <graft/graph/detail/model_walk.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/detail/positioned_io.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1::detail {

/// Moves initializers to a data file while their model is written. The destructor moves them back. Two files cannot be
/// replaced at once. So the data file gets a new name. The old model stays intact until the new one replaces it, and
/// its data file is removed last.
class Externalized {
 public:
  Externalized(const std::vector<onnx::TensorProto*>& tensors, const ExternalData& source,
               const std::string& model_file)
      : tensors_(tensors), source_(source), model_file_(model_file), folder_(folder_of(model_file)) {}
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
    std::error_code ignored;
    if (is_published_ && !is_finished_) std::filesystem::remove(data_path_, ignored);
  }

  /// Moves tensors that are external already, if the model goes to another folder. Tensors in a scratch file, or in a
  /// file that a save has removed, always move. Throws UnreadableTensor if the file of another tensor has changed.
  void move_along() {
    std::error_code failure;
    const bool same_folder =
        std::filesystem::equivalent(folder_, platform::path_of(source_.folder()), failure) && !failure;
    std::vector<onnx::TensorProto*> elsewhere;
    std::set<std::string> stays;
    for (onnx::TensorProto* const tensor : tensors_) {
      if (tensor->data_location() != onnx::TensorProto::EXTERNAL) continue;
      const bool is_stowed = ExternalData::is_stowed(*tensor);
      const std::string location = is_stowed ? "" : external_location(*tensor).location;
      if (same_folder && !is_stowed && !source_.is_held(location)) stays.insert(location);
      else elsewhere.push_back(tensor);
    }
    for (const std::string& location : stays) {
      source_.check(location);
      kept_.insert(folder_ / platform::path_of(location));
    }
    for (onnx::TensorProto* const tensor : elsewhere) take(*tensor);
  }
  /// Moves tensors of more than `over` bytes.
  void move_out(std::size_t over) {
    for (onnx::TensorProto* const tensor : tensors_)
      if (tensor->data_location() != onnx::TensorProto::EXTERNAL && tensor->raw_data().size() > over) take(*tensor);
  }
  /// Collects the files of the written model, including tensors in places that graft does not read. Throws Error if one
  /// of them is the file that the model replaces.
  void keep(const std::string& written);
  /// Writes the data to a temporary file, tensor by tensor.
  void write();
  /// Gives the data file its name, which must be free.
  void publish() {
    if (!aside_) return;
    aside_->publish_new();
    is_published_ = true;
  }
  /// Removes the data files of the old model. Call it after the model file was replaced.
  void finish();

 private:
  struct Moved {
    onnx::TensorProto* tensor;
    std::string raw;
    bool was_external;
    google::protobuf::RepeatedPtrField<onnx::StringStringEntryProto> entries;
    Tensor bytes;  // of an external tensor, read later
    std::uint64_t offset;
  };
  using Paths = std::set<std::filesystem::path>;

  static std::filesystem::path folder_of(const std::string& file) {
    const std::filesystem::path folder = platform::path_of(file).parent_path();
    return folder.empty() ? "." : folder;
  }
  static bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code failure;
    if (std::filesystem::equivalent(a, b, failure)) return true;
    const std::filesystem::path one = std::filesystem::weakly_canonical(a, failure);
    return !failure && one == std::filesystem::weakly_canonical(b, failure) && !failure;
  }
  static bool is_one_of(const Paths& files, const std::filesystem::path& path) {
    return std::any_of(files.begin(), files.end(), [&](const auto& file) { return is_one_file(file, path); });
  }

  /// The possible names of a data file of the model: "m.onnx.data", "m.onnx.1.data" and so on.
  std::string candidate(int i) const {
    const std::string stem = platform::text_of(platform::path_of(model_file_).filename());
    return stem + (i == 0 ? "" : '.' + std::to_string(i)) + ".data";
  }
  bool is_candidate(std::string_view name) const {
    const std::string stem = platform::text_of(platform::path_of(model_file_).filename()), end = ".data";
    if (!name.starts_with(stem) || !name.ends_with(end) || name.size() < stem.size() + end.size()) return false;
    name = name.substr(stem.size(), name.size() - stem.size() - end.size());
    const bool is_number = name.find_first_not_of("0123456789", 1) == std::string_view::npos;
    return name.empty() || (name.size() > 1 && name.front() == '.' && is_number);
  }
  /// Picks a free name. Existing files are skipped, because another model may read them. So are files that this model
  /// reads.
  void choose_data_path() {
    const auto is_there = [](const std::filesystem::path& path) {
      std::error_code ignored;
      return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
    };
    int i = 0;
    do data_path_ = folder_ / platform::path_of(candidate(i++));
    while (is_there(data_path_) || is_one_of(kept_, data_path_));
  }
  void take(onnx::TensorProto& tensor) {
    if (moved_.empty()) choose_data_path();
    const bool was_external = tensor.data_location() == onnx::TensorProto::EXTERNAL;
    Tensor bytes = was_external ? read_tensor(tensor, &source_) : Tensor();
    const std::size_t size = was_external ? byte_count(bytes.dtype(), bytes.dims()) : tensor.raw_data().size();
    end_ = (end_ + alignment - 1) / alignment * alignment;
    Moved& moved = moved_.emplace_back(Moved{&tensor, {}, was_external, {}, std::move(bytes), end_});
    if (was_external) {
      moved.entries.Swap(tensor.mutable_external_data());
    } else {
      moved.raw = std::move(*tensor.mutable_raw_data());
      tensor.clear_raw_data();
    }
    set_external_location(tensor, {platform::text_of(data_path_.filename()), moved.offset, size});
    end_ += size;
  }

  static constexpr std::size_t alignment = 4096;  // so that readers can map each tensor separately
  const std::vector<onnx::TensorProto*>& tensors_;
  const ExternalData& source_;
  std::string model_file_;
  std::filesystem::path folder_, data_path_;
  Paths kept_;                   // the files that the new model still reads
  std::set<std::string> going_;  // files of the old model that the new one does not read
  std::uint64_t end_ = 0;
  std::vector<Moved> moved_;
  std::optional<AtomicFile> aside_;
  bool is_published_ = false, is_finished_ = false;
};

inline void Externalized::keep(const std::string& written) {
  const std::optional<std::set<std::string>> locations = data_locations(written);
  if (locations)
    for (const std::string& location : *locations) kept_.insert(folder_ / platform::path_of(location));
  if (is_one_of(kept_, model_file_))
    throw Error("holds weights of the model, which it would replace").file(model_file_);
  if (moved_.empty() || !locations) return;
  for (const std::string& location : data_locations(model_file_).value_or(std::set<std::string>()))
    if (is_candidate(location) && !is_one_of(kept_, folder_ / platform::path_of(location))) going_.insert(location);
}

inline void Externalized::write() {
  if (moved_.empty()) return;
  try {
    aside_.emplace(platform::text_of(data_path_));
    FileDescriptor file(aside_->path(), platform::Opening::write);
    for (Moved& moved : moved_) {
      const Tensor read = std::exchange(moved.bytes, Tensor());  // frees the bytes after writing
      write_at(file.get(), moved.offset, moved.was_external ? read.bytes() : std::as_bytes(std::span(moved.raw)));
    }
    file.close();
  } catch (const UnreadableTensor&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.message()).file(platform::text_of(data_path_));
  }
}

inline void Externalized::finish() {
  is_finished_ = true;
  std::error_code failure;
  const bool same_folder =
      std::filesystem::equivalent(folder_, platform::path_of(source_.folder()), failure) && !failure;
  if (is_published_ && same_folder) source_.does_not_read(platform::text_of(data_path_.filename()));
  for (const std::string& location : going_) {
    try {
      if (same_folder) source_.hold(location);
    } catch (const Error&) {
      continue;  // tensors of this process may still need it
    }
    std::filesystem::remove(folder_ / platform::path_of(location), failure);
  }
}

}  // namespace graft::inline v1::detail
