#pragma once
#include <string>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// A file that is written beside its target and removed unless it is published. So readers see the target whole or not
/// at all. If the file system allows it, the file has no name until then: a killed process leaves nothing behind.
class AtomicFile {
 public:
  /// Follows links: publish() replaces the file behind them. Throws Error naming the target if it is not a regular
  /// file, such as a folder, a pipe or a device. (If several files belong together, publish none before it is clear
  /// that all can be.)
  explicit AtomicFile(const std::string& target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// The path to write to, valid in this process only.
  const std::string& path() const { return aside_; }
  /// Renames the file to its target. Throws Error naming the target if that fails.
  void publish();
  /// Links the file to its target. Throws Error as well if the target exists.
  void publish_new();

 private:
  /// The path behind the links. Nothing need exist there.
  static std::string resolved(const std::string& path);
  void link(const std::string& name) const;

  std::string target_, named_, aside_;
  int unnamed_ = -1;  // the descriptor of a file without a name
  bool published_ = false;
};

using FileAside [[deprecated("use AtomicFile")]] = AtomicFile;

}  // namespace graft::inline v1
