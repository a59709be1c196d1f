#pragma once
#include <vector>

#include <graft/rewrite/report.hpp>

/// All refusals of a report, including those of its steps.
inline void add_refusals(const graft::Report& report, std::vector<graft::Refusal>& all) {
  all.insert(all.end(), report.refusals.begin(), report.refusals.end());
  for (const graft::Report& step : report.steps) add_refusals(step, all);
}
