#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <graft/graph/detail/mapped_file.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// Where a tensor's data is, outside the model.
struct ExternalLocation {
  std::string location;                   // relative to the model's folder
  std::uint64_t offset = 0;               // bytes
  std::optional<std::uint64_t> length{};  // bytes
};

/// What a TensorProto says in its external_data. Throws Error if the location is missing or a number is none.
ExternalLocation external_location(const onnx::TensorProto& proto);

/// Bytes of a mapped file, which stays mapped while keep_alive does.
struct ExternalBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep_alive;
};

/// The files beside a model that hold its large tensors. Each is mapped once, when it is first asked for, and read
/// where it is touched: it must not shrink while tensors look at it. Replacing it by a rename is fine.
class ExternalData {
 public:
  /// allow_outside: follow locations that are absolute, or that leave the folder by ".." or a symbolic link.
  explicit ExternalData(std::string model_folder, bool allow_outside = false)
      : folder_(model_folder.empty() ? "." : std::move(model_folder)), allow_outside_(allow_outside) {}

  const std::string& folder() const { return folder_; }
  bool allows_outside() const { return allow_outside_; }

  /// The `wanted` bytes at a place. Throws Error naming the location: it leads outside; the file is missing, too
  /// short or no regular file; the place has another length.
  ExternalBytes map(const ExternalLocation& where, std::size_t wanted) const;

 private:
  struct Files {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const detail::MappedFile>> by_location;
  };

  std::shared_ptr<const detail::MappedFile> open(const std::string& location) const;

  std::string resolve(const std::string& location) const;

  std::string folder_;
  bool allow_outside_;
  std::unique_ptr<Files> files_ = std::make_unique<Files>();  // apart, so that an ExternalData can be moved
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/external_data.ipp>
#endif
