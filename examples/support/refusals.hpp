#pragma once
#include <vector>

#include <graft/rewrite/report.hpp>

/// Those of the steps included.
inline void add_refusals(const graft::Report& report, std::vector<graft::Refusal>& all) {
  all.insert(all.end(), report.refusals.begin(), report.refusals.end());
  for (const graft::Report& step : report.steps) add_refusals(step, all);
}
