#pragma once
#include <cstddef>

#include <graft/graph/detail/journal.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Groups the edits of one model from here on. keep() keeps all of them; otherwise the destructor undoes all of them.
/// Transactions nest; the inner one ends first.
class Transaction {
 public:
  explicit Transaction(Graph& graph) : journal_(&graph.journal()), mark_(journal_->open()) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() { rollback(); }

  void keep();
  void rollback();
  /// Undoes the edits of this transaction so far, and leaves it open.
  void restart();

 private:
  detail::Journal* journal_;
  std::size_t mark_;
  bool open_ = true;
};

}  // namespace graft::inline v1
