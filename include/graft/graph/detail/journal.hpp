#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graft::inline v1::detail {

/// How one edit is taken back. Plain data: an edit inside a transaction costs one push.
struct Undo {
  void (*run)(const Undo&);
  void* subject = nullptr;
  const void* before = nullptr;
  std::uint64_t number = 0;
};

/// The edits since the outermost open transaction, taken back in reverse order.
class Journal {
 public:
  bool recording() const { return depth_ != 0; }
  void record(const Undo& undo);

  /// Counts every edit ever made, so that a caller can tell whether anything changed.
  std::uint64_t edits() const { return edits_; }

  std::size_t open();
  void keep() {
    if (--depth_ == 0) entries_.clear();
  }
  void rollback(std::size_t mark);

 private:
  std::vector<Undo> entries_;
  std::size_t depth_ = 0;
  std::uint64_t edits_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/journal.ipp>
#endif
