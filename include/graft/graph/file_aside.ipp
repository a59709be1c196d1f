#pragma once
#include <graft/graph/file_aside.hpp>

#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE FileAside::FileAside(const std::string& target) : target_(resolved(target)) {
  aside_ = target_ + ".part" + std::to_string(::getpid());
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
  if (std::filesystem::is_directory(status)) throw Error("cannot be written: it is a folder").file(target);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error("cannot be written: it is no regular file").file(target);
}

GRAFT_INLINE FileAside::~FileAside() {
  std::error_code ignored;
  if (!published_) std::filesystem::remove(aside_, ignored);
}

GRAFT_INLINE void FileAside::publish() {
  std::error_code failure;
  std::filesystem::rename(aside_, target_, failure);
  if (failure) throw Error("cannot be written: " + failure.message()).file(target_);
  published_ = true;
}

GRAFT_INLINE std::string FileAside::resolved(const std::string& given) {
  std::filesystem::path path = given;
  std::error_code failure;
  for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure || links == 40) throw Error("cannot be written: its symbolic links are broken").file(path.string());
    path = path.parent_path() / next;
  }
  return path.string();
}

}  // namespace graft::inline v1
