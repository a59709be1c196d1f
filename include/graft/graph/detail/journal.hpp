#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graft::inline v1::detail {

class Undo;

/// The edits since the outermost open transaction, taken back in reverse order.
class Journal {
 public:
  Journal();
  ~Journal();

  bool recording() const { return depth_ != 0; }
  void record(const Undo& undo);

  /// Counts every edit ever made, so that a caller can tell whether anything changed.
  std::uint64_t edits() const { return edits_; }
  /// Counts the edits that stand, except for inferred types.
  std::uint64_t changes() const { return changes_; }

  std::size_t open();
  void keep();
  void rollback(std::size_t mark);

 private:
  std::vector<Undo> entries_;
  std::size_t depth_ = 0;
  std::uint64_t edits_ = 0, changes_ = 0;
};

}  // namespace graft::inline v1::detail
