#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/report.hpp>

#include <utility>

namespace graft::inline v1 {

GRAFT_INLINE RuleCount Report::rule(std::string_view name) const {
  RuleCount sum{std::string(name)};
  const auto add = [&sum](const RuleCount& count) {
    sum.tried += count.tried;
    sum.applied += count.applied;
    sum.declined += count.declined;
  };
  for (const RuleCount& count : rules)
    if (count.rule == name) add(count);
  for (const Report& step : steps) add(step.rule(name));
  return sum;
}

GRAFT_INLINE const Report* Report::step(std::string_view name) const {
  for (const Report& one : steps) {
    if (one.pass == name) return &one;
    if (const Report* const inner = one.step(name)) return inner;
  }
  return nullptr;
}

GRAFT_INLINE void Report::refuse(std::string rule, std::string node, const Reason& reason) {
  refusals.push_back({std::move(rule), std::move(node), to_string(reason), reason.code});
}

GRAFT_INLINE void Report::add(Report step) {
  changes += step.changes;
  if (step.outcome > outcome) outcome = step.outcome;
  for (const std::string& rule : step.oscillates) oscillates.push_back(rule);
  steps.push_back(std::move(step));
}

}  // namespace graft::inline v1
