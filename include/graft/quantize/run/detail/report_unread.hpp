#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Adds a step that notes which of the samples that ways are compared on could not be read, if there are any.
inline void report_unread(const std::vector<std::string>& why, Report& passes) {
  if (why.empty()) return;
  Report report;
  report.pass = "compare";
  for (const std::string& each : why) report.notes.push_back("could not be read: " + each);
  passes.add(std::move(report));
}

}  // namespace graft::inline v1::detail
