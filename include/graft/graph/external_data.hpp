#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/graph/detail/data_file.hpp>
#include <graft/graph/detail/deferred_bytes.hpp>
#include <graft/graph/detail/scratch_file.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The location of a tensor's data outside the model.
struct ExternalLocation {
  std::string location;                   // relative to the model's folder
  std::uint64_t offset = 0;               // bytes
  std::optional<std::uint64_t> length{};  // bytes
};

/// Reads the external_data of a TensorProto. Throws Error if it has no location, or if offset or length is not a
/// number.
ExternalLocation external_location(const onnx::TensorProto& proto);
/// Writes the external_data of a TensorProto. Data inside the proto stays.
void set_external_location(onnx::TensorProto& proto, const ExternalLocation& where);

/// The external files of a model's large tensors, and a scratch file for new weights. Copies share both. look_at(), or
/// the first request for a tensor, records the state of a file. From then on it must not change: a tensor that is read
/// after a write, a truncation or a replacement throws UnreadableTensor. A write that keeps the modification time, such
/// as one through a mapping, is not detected.
class ExternalData {
 public:
  /// allow_outside: follows locations that are absolute, or that leave the folder by ".." or a symbolic link.
  /// scratch_folder: the folder of stow()'s file; empty: stow() does nothing.
  explicit ExternalData(std::string model_folder, bool allow_outside = false, std::string scratch_folder = {})
      : folder_(model_folder.empty() ? "." : std::move(model_folder)),
        allow_outside_(allow_outside),
        scratch_folder_(std::move(scratch_folder)) {}

  const std::string& folder() const { return folder_; }
  bool allows_outside() const { return allow_outside_; }

  /// The tensor at a location; its bytes are read on first access. Tensors at one location share them. Throws Error
  /// naming the location if it leads outside or has another length. It also throws if the file is missing, too short or
  /// not a regular file.
  Tensor find(const ExternalLocation& where, DType dtype, Dims dims, const std::string& name) const;

  /// Records the state of a file before the first request for a tensor in it. A missing file is left to find().
  void look_at(const std::string& location) const;
  /// Throws UnreadableTensor if a recorded file has changed.
  void check(const std::string& location) const;

  /// Moves large raw data into the scratch file, if there is a scratch folder. The tensor then refers to that file,
  /// which only copies of this object can read. Throws Error naming the folder, for example if the disk is full.
  void stow(onnx::TensorProto& tensor);
  static bool is_stowed(const onnx::TensorProto& tensor);
  /// Opens the file, so that tensors of this object and its copies stay readable after its removal. Throws Error if it
  /// cannot be opened.
  void hold(const std::string& location) const;
  bool is_held(const std::string& location) const;
  /// Marks a new file that no tensor of this object or its copies is in: hold() skips it.
  void does_not_read(const std::string& location) const;
  /// A copy that stows new weights in a separate file. That file disappears with the copy.
  ExternalData branch() const;

 private:
  struct Files {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const detail::DataFile>> by_location;
    std::set<std::string> not_read;
    // Tensors that share bytes read them once.
    std::map<std::tuple<const detail::ByteSource*, std::uint64_t, std::size_t>,
             std::weak_ptr<const detail::DeferredBytes>>
        read;
    // The most recent bytes are held too, because passes look at a weight several times in a row.
    std::deque<std::shared_ptr<const detail::DeferredBytes>> recent;
    std::size_t recent_size = 0;
  };

  std::shared_ptr<const detail::ByteSource> open(const ExternalLocation& where, std::size_t wanted) const;
  std::string resolve(const std::string& location) const;

  std::string folder_;
  bool allow_outside_;
  std::string scratch_folder_;
  std::vector<std::shared_ptr<detail::ScratchFile>> scratch_;  // the last is written; other copies write the others
  bool owns_last_ = false;
  std::shared_ptr<Files> files_ = std::make_shared<Files>();
};

}  // namespace graft::inline v1
