#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <graft/graph/detail/mapped_file.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// Where a tensor's data is, outside the model.
struct ExternalLocation {
  std::string location;                   // relative to the model's folder
  std::uint64_t offset = 0;               // bytes
  std::optional<std::uint64_t> length{};  // bytes
};

/// What a TensorProto says in its external_data. Throws Error if the location is missing or a number is none.
template <class = void>
ExternalLocation external_location(const onnx::TensorProto& proto) {
  const auto number = [](const onnx::StringStringEntryProto& entry) {
    const std::string& text = entry.value();
    std::uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc() && end == text.data() + text.size()) return value;
    throw Error("the " + entry.key() + " of its external data is '" + text + "'");
  };
  ExternalLocation where;
  for (const onnx::StringStringEntryProto& entry : proto.external_data()) {
    if (entry.key() == "location") where.location = entry.value();
    if (entry.key() == "offset") where.offset = number(entry);
    if (entry.key() == "length") where.length = number(entry);
  }
  if (where.location.empty()) throw Error("its data is external, but has no location");
  return where;
}

/// Bytes of a mapped file, which stays mapped while keep_alive does.
struct ExternalBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> keep_alive;
};

/// The files beside a model that hold its large tensors. Each is mapped once, when it is first asked for, and read
/// where it is touched: it must not shrink while tensors look at it. Replacing it by a rename is fine.
template <class>
class BasicExternalData {
 public:
  /// allow_outside: follow locations that are absolute, or that leave the folder by ".." or a symbolic link.
  explicit BasicExternalData(std::filesystem::path model_folder, bool allow_outside = false)
      : folder_(model_folder.empty() ? "." : std::move(model_folder)), allow_outside_(allow_outside) {}

  const std::filesystem::path& folder() const { return folder_; }
  bool allows_outside() const { return allow_outside_; }

  /// The `wanted` bytes at a place. Throws Error naming the location: it leads outside; the file is missing, too
  /// short or no regular file; the place has another length.
  ExternalBytes map(const ExternalLocation& where, std::size_t wanted) const {
    const auto fail = [&](const std::string& why) -> Error {
      std::string name;
      for (const char c : where.location) name += c != '\0' ? std::string(1, c) : "\\0";  // a message ends at a NUL
      return Error("external data '" + name + "' " + why);
    };
    if (where.length && *where.length != wanted) {
      throw fail("has " + std::to_string(*where.length) + " bytes for it, wanted " + std::to_string(wanted));
    }
    std::shared_ptr<const detail::MappedFile> file;
    try {
      file = open(where.location);
    } catch (const Error& error) {
      throw fail(error.message());
    }
    const std::size_t size = file->bytes().size();
    if (where.offset > size || wanted > size - where.offset) {
      throw fail("has " + std::to_string(size) + " bytes, too few for " + std::to_string(wanted) + " at offset " +
                 std::to_string(where.offset));
    }
    return {file->bytes().subspan(where.offset, wanted), std::move(file)};
  }

 private:
  struct Files {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const detail::MappedFile>> by_location;
  };

  std::shared_ptr<const detail::MappedFile> open(const std::string& location) const {
    const std::lock_guard lock(files_->mutex);
    std::shared_ptr<const detail::MappedFile>& file = files_->by_location[location];
    if (!file) file = std::make_shared<const detail::MappedFile>(resolve(location));
    return file;
  }

  std::filesystem::path resolve(const std::filesystem::path& location) const {
    if (location.native().find('\0') != std::string::npos) throw Error("is refused: a NUL ends the name for the system");
    if (allow_outside_) return folder_ / location;
    if (location.is_absolute()) throw Error("is refused: an absolute path");
    std::error_code failure;
    const std::filesystem::path folder = std::filesystem::canonical(folder_, failure);
    if (failure) throw Error("cannot be found: the folder " + folder_.string() + ": " + failure.message());
    // Links are followed before ".." is taken, as the system would; the result has neither.
    const std::filesystem::path target = std::filesystem::weakly_canonical(folder / location, failure);
    if (failure) throw Error("cannot be found: " + failure.message());
    const bool outside = *target.lexically_relative(folder).begin() == "..";
    if (outside) throw Error("is refused: it leads out of the model's folder");
    return target;
  }

  std::filesystem::path folder_;
  bool allow_outside_;
  std::unique_ptr<Files> files_ = std::make_unique<Files>();  // apart, so that an ExternalData can be moved
};

/// The class, a template of nothing as Graph is.
using ExternalData = BasicExternalData<void>;

#ifdef GRAFT_SEPARATE
extern template class BasicExternalData<void>;
#endif

}  // namespace graft::inline v1
