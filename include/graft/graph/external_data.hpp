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

/// Where a tensor's data is, outside the model.
struct ExternalLocation {
  std::string location;                   // relative to the model's folder
  std::uint64_t offset = 0;               // bytes
  std::optional<std::uint64_t> length{};  // bytes
};

/// The external_data of a TensorProto. Throws Error if it has no location, or if offset or length is not a number.
ExternalLocation external_location(const onnx::TensorProto& proto);
/// Writes the external_data of a TensorProto. Data in the proto itself stays.
void set_external_location(onnx::TensorProto& proto, const ExternalLocation& where);

/// The files beside a model that hold its large tensors, and weights of its own in a scratch file. Copies share both.
/// A file is looked at by look_at(), or when a tensor in it is first asked for. It must stay so then: tensors that
/// are read after it has shrunk, was written or was replaced throw UnreadableTensor. (A write that leaves the time of
/// the last change as it was, as through a mapping, is not noticed.)
class ExternalData {
 public:
  /// allow_outside: follow locations that are absolute, or that leave the folder by ".." or a symbolic link.
  /// scratch_folder: where stow() makes its file; empty: nowhere.
  explicit ExternalData(std::string model_folder, bool allow_outside = false, std::string scratch_folder = {})
      : folder_(model_folder.empty() ? "." : std::move(model_folder)),
        allow_outside_(allow_outside),
        scratch_folder_(std::move(scratch_folder)) {}

  const std::string& folder() const { return folder_; }
  bool allows_outside() const { return allow_outside_; }

  /// The tensor at a place, its bytes yet to be read. Tensors at one place share them. Throws Error naming the
  /// location: it leads outside; the file is missing, too short or no regular file; the place has another length.
  Tensor find(const ExternalLocation& where, DType dtype, Dims dims, const std::string& name) const;

  /// Remembers the state of a file before any tensor in it is asked for. One that cannot be found is left to find().
  void look_at(const std::string& location) const;
  /// Throws UnreadableTensor if a file that was looked at is no longer what it was.
  void check(const std::string& location) const;

  /// Moves raw data that are large into the scratch file, if there is a folder for it. The tensor then refers to that:
  /// only a copy of this finds it. Throws Error naming the folder, as for a full disk.
  void stow(onnx::TensorProto& tensor);
  static bool is_stowed(const onnx::TensorProto& tensor);
  /// Call it before the file is removed: tensors of this and its copies stay readable. Throws Error if it cannot be
  /// opened.
  void hold(const std::string& location) const;
  bool is_held(const std::string& location) const;
  /// A new file, which no tensor of this or its copies is in: hold() passes over it.
  void does_not_read(const std::string& location) const;
  /// A copy that stows what is new in a file of its own, which goes with it.
  ExternalData branch() const;

 private:
  struct Files {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const detail::DataFile>> by_location;
    std::set<std::string> not_read;
    // The bytes that tensors hold: it is enough to read them once.
    std::map<std::tuple<const detail::ByteSource*, std::uint64_t, std::size_t>,
             std::weak_ptr<const detail::DeferredBytes>>
        read;
    // Those that were asked for last are held too: passes look at a weight several times before they go on.
    std::deque<std::shared_ptr<const detail::DeferredBytes>> recent;
    std::size_t recent_size = 0;
  };

  std::shared_ptr<const detail::ByteSource> open(const ExternalLocation& where, std::size_t wanted) const;
  std::string resolve(const std::string& location) const;

  std::string folder_;
  bool allow_outside_;
  std::string scratch_folder_;
  std::vector<std::shared_ptr<detail::ScratchFile>> scratch_;  // the last is written to, those before by other copies
  bool owns_last_ = false;
  std::shared_ptr<Files> files_ = std::make_shared<Files>();
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/external_data.ipp>
#endif
