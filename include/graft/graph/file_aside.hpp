#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include <unistd.h>

#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// A file being written beside its final place, deleted unless it is published: readers see it whole or not at all.
class FileAside {
 public:
  /// Links are followed: what they lead to is replaced. Throws Error naming the file if something else than a regular
  /// file stands there, such as a folder, a pipe or a device. (Where several files belong together, none may be
  /// published before it is clear that all can be.)
  explicit FileAside(const std::filesystem::path& target) : target_(resolved(target)) {
    aside_ = target_.string() + ".part" + std::to_string(::getpid());
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(target_, ignored);
    if (std::filesystem::is_directory(status)) throw Error("cannot be written: it is a folder").file(target.string());
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      throw Error("cannot be written: it is no regular file").file(target.string());
  }
  FileAside(const FileAside&) = delete;
  FileAside& operator=(const FileAside&) = delete;
  ~FileAside() {
    std::error_code ignored;
    if (!published_) std::filesystem::remove(aside_, ignored);
  }

  /// Where to write.
  const std::filesystem::path& path() const { return aside_; }
  /// Throws Error naming the file if it cannot take its place.
  void publish() {
    std::error_code failure;
    std::filesystem::rename(aside_, target_, failure);
    if (failure) throw Error("cannot be written: " + failure.message()).file(target_.string());
    published_ = true;
  }

 private:
  /// What the links lead to, which need not be there.
  static std::filesystem::path resolved(std::filesystem::path path) {
    std::error_code failure;
    for (int links = 0; std::filesystem::is_symlink(path, failure); ++links) {
      const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
      if (failure || links == 40) throw Error("cannot be written: its links lead nowhere").file(path.string());
      path = path.parent_path() / next;
    }
    return path;
  }

  std::filesystem::path target_, aside_;
  bool published_ = false;
};

}  // namespace graft::inline v1
