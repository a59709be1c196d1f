#pragma once
#include <string>

#include <graft/graph/transaction.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Keeps the changes of a pass if settle() says yes. Otherwise undoes them, and notes the reason.
template <class Settle>
void keep_if_settled(Transaction& transaction, Report& report, const std::string& misfit, Settle settle) {
  const Verdict settled = report.changes != 0 ? settle() : Verdict::yes();
  if (settled) return transaction.keep();
  report.changes = 0;
  report.notes.push_back(misfit + ": " + to_string(settled.reason()));
}

}  // namespace graft::inline v1::detail
