#pragma once
#include <string>

namespace graft::inline v1 {

/// A file being written beside its final place, gone unless it is published: readers see it whole or not at all. Where
/// the file system can do that it has no name until then, so that nothing is left if the process is killed.
class AtomicFile {
 public:
  /// Links are followed: what they lead to is replaced. Throws Error naming the file if something else than a regular
  /// file stands there, such as a folder, a pipe or a device. (Where several files belong together, none may be
  /// published before it is clear that all can be.)
  explicit AtomicFile(const std::string& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Where to write, in this process.
  const std::string& path() const { return aside_; }
  /// Throws Error naming the file if it cannot take its place.
  void publish();
  /// The same, where nothing may stand: throws Error then too.
  void publish_new();

 private:
  /// What the links lead to, which need not be there.
  static std::string resolved(const std::string& path);
  void link(const std::string& name) const;

  std::string target_, named_, aside_;
  int unnamed_ = -1;  // the descriptor of a file without a name
  bool published_ = false;
};

using FileAside [[deprecated("use AtomicFile")]] = AtomicFile;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/atomic_file.ipp>
#endif
