#pragma once
#include <graft/graph/external_data.hpp>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void set_external_location(onnx::TensorProto& proto, const ExternalLocation& where) {
  proto.clear_external_data();
  const auto set = [&proto](const char* key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *proto.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  };
  set("location", where.location);
  set("offset", std::to_string(where.offset));
  if (where.length) set("length", std::to_string(*where.length));
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
}

GRAFT_INLINE ExternalLocation external_location(const onnx::TensorProto& proto) {
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

namespace detail {

inline constexpr std::string_view scratch_location("\0scratch", 8);  // no file has such a name

inline constexpr std::size_t max_recent = std::size_t{128} << 20;  // bytes

/// The location for messages, cut at a NUL.
inline std::string name_of_location(const std::string& location) {
  std::string name;
  for (const char c : location) name += c != '\0' ? std::string(1, c) : "\\0";
  return "external data '" + name + "'";
}

}  // namespace detail

GRAFT_INLINE Tensor ExternalData::find(const ExternalLocation& where, DType dtype, Dims dims,
                                       const std::string& name) const {
  const std::size_t wanted = byte_count(dtype, dims);
  const std::string location = detail::name_of_location(where.location);
  if (where.length && *where.length != wanted) {
    throw Error(location + " has " + std::to_string(*where.length) + " bytes for it, expected " +
                std::to_string(wanted));
  }
  std::shared_ptr<const detail::DeferredBytes> bytes;
  try {
    const std::lock_guard lock(files_->mutex);
    std::shared_ptr<const detail::ByteSource> source = open(where, wanted);
    auto& read = files_->read[{source.get(), where.offset, wanted}];
    bytes = read.lock();
    if (!bytes) {
      bytes = std::make_shared<const detail::DeferredBytes>(std::move(source), where.offset, wanted, location, name);
      read = bytes;
      files_->recent.push_back(bytes);
      files_->recent_size += wanted;
      while (files_->recent_size > detail::max_recent && files_->recent.size() > 1) {
        files_->recent_size -= files_->recent.front()->size();
        files_->recent.pop_front();
      }
    }
  } catch (const Error& error) {
    throw Error(location + " " + error.message());
  }
  return Tensor::defer(dtype, std::move(dims), std::move(bytes));
}

GRAFT_INLINE std::shared_ptr<const detail::ByteSource> ExternalData::open(const ExternalLocation& where,
                                                                          std::size_t wanted) const {
  if (where.location.starts_with(detail::scratch_location)) {
    std::size_t index = scratch_.size();
    const char* const digits = where.location.data() + detail::scratch_location.size();
    std::from_chars(digits, where.location.data() + where.location.size(), index);
    if (index >= scratch_.size()) throw Error("is refused: the name contains a NUL");
    return scratch_[index];
  }
  auto& files = files_->by_location;
  auto found = files.find(where.location);
  if (found == files.end())
    found = files.emplace(where.location, std::make_shared<const detail::DataFile>(resolve(where.location))).first;
  const std::shared_ptr<const detail::DataFile>& file = found->second;
  if (where.offset > file->size() || wanted > file->size() - where.offset) {
    throw Error("has " + std::to_string(file->size()) + " bytes, too few for " + std::to_string(wanted) +
                " at offset " + std::to_string(where.offset));
  }
  return file;
}

GRAFT_INLINE void ExternalData::look_at(const std::string& location) const {
  if (location.starts_with(detail::scratch_location)) return;
  const std::lock_guard lock(files_->mutex);
  if (files_->by_location.contains(location)) return;
  try {
    files_->by_location.emplace(location, std::make_shared<const detail::DataFile>(resolve(location)));
  } catch (const Error&) {  // the file may not be needed
  }
}

GRAFT_INLINE void ExternalData::check(const std::string& location) const {
  const std::lock_guard lock(files_->mutex);
  const auto found = files_->by_location.find(location);
  if (found == files_->by_location.end()) return;
  try {
    found->second->check();
  } catch (const Error& error) {
    throw UnreadableTensor(Error(detail::name_of_location(location) + " " + error.message()));
  }
}

GRAFT_INLINE void ExternalData::hold(const std::string& location) const {
  const std::lock_guard lock(files_->mutex);
  auto& files = files_->by_location;
  auto found = files.find(location);
  if (found == files.end()) {
    if (files_->not_read.contains(location)) return;
    found = files.emplace(location, std::make_shared<const detail::DataFile>(resolve(location))).first;
  }
  for (const auto& [name, file] : files)
    if (file->is_one_with(*found->second)) file->hold();
}

GRAFT_INLINE bool ExternalData::is_held(const std::string& location) const {
  const std::lock_guard lock(files_->mutex);
  const auto found = files_->by_location.find(location);
  return found != files_->by_location.end() && found->second->is_held();
}

GRAFT_INLINE void ExternalData::does_not_read(const std::string& location) const {
  const std::lock_guard lock(files_->mutex);
  files_->not_read.insert(location);
}

GRAFT_INLINE void ExternalData::stow(onnx::TensorProto& tensor) {
  constexpr std::size_t least = 4096;
  if (scratch_folder_.empty() || tensor.raw_data().size() < least) return;
  if (!owns_last_) scratch_.push_back(std::make_shared<detail::ScratchFile>(scratch_folder_));
  owns_last_ = true;
  const std::string& bytes = tensor.raw_data();
  const std::string index = std::to_string(scratch_.size() - 1);
  const std::uint64_t offset = scratch_.back()->append(std::as_bytes(std::span(bytes)));
  set_external_location(tensor, {std::string(detail::scratch_location) + index, offset, bytes.size()});
  delete tensor.release_raw_data();  // clearing the field would keep its memory
}

GRAFT_INLINE bool ExternalData::is_stowed(const onnx::TensorProto& tensor) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return false;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data())
    if (entry.key() == "location") return entry.value().starts_with(detail::scratch_location);
  return false;
}

GRAFT_INLINE ExternalData ExternalData::branch() const {
  ExternalData copy = *this;
  copy.owns_last_ = false;
  return copy;
}

GRAFT_INLINE std::string ExternalData::resolve(const std::string& given) const {
  namespace platform = detail::platform;
  if (given.find('\0') != std::string::npos) throw Error("is refused: the name contains a NUL");
  const std::filesystem::path location = platform::path_of(given);
  std::error_code failure;
  if (allow_outside_) {
    // The path may be used later, when the current folder has changed.
    const std::filesystem::path path = std::filesystem::absolute(platform::path_of(folder_) / location, failure);
    if (failure) throw Error("cannot be found: " + failure.message());
    return platform::text_of(path);
  }
  if (location.has_root_path()) throw Error("is refused: an absolute path");
  const std::filesystem::path folder = std::filesystem::canonical(platform::path_of(folder_), failure);
  if (failure) throw Error("cannot be found: the folder " + folder_ + ": " + failure.message());
  // Follows links before "..", as the system does. The result has neither.
  const std::filesystem::path target = std::filesystem::weakly_canonical(folder / location, failure);
  if (failure) throw Error("cannot be found: " + failure.message());
  const bool outside = *target.lexically_relative(folder).begin() == "..";
  if (outside) throw Error("is refused: it leads out of the model's folder");
  return platform::text_of(target);
}

}  // namespace graft::inline v1
