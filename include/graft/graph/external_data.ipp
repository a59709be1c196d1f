#pragma once
#include <graft/graph/external_data.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

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

GRAFT_INLINE ExternalBytes ExternalData::map(const ExternalLocation& where, std::size_t wanted) const {
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

GRAFT_INLINE std::shared_ptr<const detail::MappedFile> ExternalData::open(const std::string& location) const {
  const std::lock_guard lock(files_->mutex);
  std::shared_ptr<const detail::MappedFile>& file = files_->by_location[location];
  if (!file) file = std::make_shared<const detail::MappedFile>(resolve(location));
  return file;
}

GRAFT_INLINE std::string ExternalData::resolve(const std::string& given) const {
  if (given.find('\0') != std::string::npos) throw Error("is refused: the name contains a NUL");
  const std::filesystem::path location = given;
  if (allow_outside_) return (std::filesystem::path(folder_) / location).string();
  if (location.is_absolute()) throw Error("is refused: an absolute path");
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::canonical(folder_, failure);
  if (failure) throw Error("cannot be found: the folder " + folder_ + ": " + failure.message());
  // Links are followed before ".." is taken, as the system would; the result has neither.
  const std::filesystem::path target = std::filesystem::weakly_canonical(folder / location, failure);
  if (failure) throw Error("cannot be found: " + failure.message());
  const bool outside = *target.lexically_relative(folder).begin() == "..";
  if (outside) throw Error("is refused: it leads out of the model's folder");
  return target.string();
}

}  // namespace graft::inline v1
