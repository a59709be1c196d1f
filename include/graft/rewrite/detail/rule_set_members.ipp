#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/rewrite/detail/driver.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/loops.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Preserved RuleSet::preserved() const {
  const auto keeps_values = [](const RuleView& rule) { return rule.intent.values.empty(); };
  return std::ranges::all_of(rules_, keeps_values) ? Preserved::all() : Preserved();
}

GRAFT_INLINE RuleSet::RuleSet(std::string_view driver, std::vector<RuleView> rules, bool repeats,
                              NodeCondition condition)
    : rules_(std::move(rules)), repeats_(repeats), condition_(std::move(condition)) {
  constexpr std::size_t named = 4;  // keeps the message readable
  for (std::size_t i = 0; i < std::min(named, rules_.size()); ++i)
    name_ += (name_.empty() ? "" : ", ") + std::string(rules_[i].name());
  if (rules_.size() > named) name_ += " and " + std::to_string(rules_.size() - named) + " more";
  name_ = std::string(driver) + "(" + name_ + ")";
  if (!repeats_) return;
  for (const Loop& loop : find_loops(rules_)) {
    if (loop.certain) throw Error("the rules form an endless cycle: " + to_string(loop));
    note_ = "these rules may form an endless cycle: " + to_string(loop);
  }
}

GRAFT_INLINE Report RuleSet::run(Graph& graph, Context& context) const {
  Report report = Driver(rules_, condition_, graph, context, name_).run(repeats_);
  // A caller who sets a budget of steps expects it to run out.
  const bool ran_out = report.outcome == Outcome::budget && !context.budget.steps;
  if (!note_.empty() && (ran_out || report.outcome == Outcome::oscillates)) report.notes.push_back(note_);
  return report;
}

}  // namespace graft::inline v1::detail
