#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace graft::inline v1::detail {

class Undo;

/// The edits since the outermost open transaction, for undo in reverse order.
class Journal {
 public:
  Journal();
  ~Journal();

  bool recording() const { return depth_ != 0; }
  void record(const Undo& undo);

  /// The number of all edits so far, so that a caller can detect changes.
  std::uint64_t edits() const { return edits_; }
  /// The number of edits in effect, without inferred types.
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
