#pragma once
#include <graft/pattern/link.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/pattern/capture.hpp>

namespace graft::inline v1 {

namespace detail {

/// f("domain::Op") for each operator that a row names.
template <class F>
void for_each_op(const PatternNode& row, const F& f) {
  if (row.step != Step::op && row.step != Step::chain) return;
  std::string_view names = row.op;
  while (!names.empty()) {
    const std::size_t bar = names.find('|');
    f(names.substr(0, bar));
    names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
  }
}

inline const Model& with_ops_of(const RulePattern& pattern, Model& model) {
  for (const PatternNode& row : pattern.nodes) for_each_op(row, [&](std::string_view name) { model.op_id(name); });
  return model;
}

}  // namespace detail

GRAFT_INLINE Linked::Linked(const RulePattern& pattern, Model& model, std::span<const Argument> arguments,
                            const RulePattern& after)
    : Linked(pattern, detail::with_ops_of(pattern, model), arguments, after) {}

GRAFT_INLINE Linked::Linked(const RulePattern& pattern, const Model& model, std::span<const Argument> arguments,
                            const RulePattern& after)
    : pattern_(pattern) {
  for (const PatternNode& row : pattern.nodes) {
    const std::size_t first = ops_.size();
    detail::for_each_op(row, [&](std::string_view name) { ops_.push_back(model.find_op(name)); });
    rows_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(ops_.size() - first)});
  }
  RootOps roots = graft::root_ops(pattern);
  any_root_ = roots.any;
  for (const OpName& name : roots.names) root_ops_.push_back(model.find_op(name.domain, name.op_type));
  for (std::size_t slot = 0; slot < pattern.captures.size(); ++slot) {
    if (kind_of(pattern.captures[slot]) == Kind::arg) bind(slot, arguments, after);
  }
}

GRAFT_INLINE bool Linked::accepts(std::size_t row, OpId op) const {
  const auto [first, count] = rows_[row];
  if (count == 0) return true;  // any_op
  for (std::size_t i = first; i < first + count; ++i) {
    if (ops_[i] == op) return true;
  }
  return false;
}

GRAFT_INLINE bool Linked::may_be_root(OpId op) const {
  return any_root_ || std::find(root_ops_.begin(), root_ops_.end(), op) != root_ops_.end();
}

GRAFT_INLINE void Linked::bind(std::size_t slot, std::span<const Argument> arguments, const RulePattern& after) {
  const CaptureId id = pattern_.captures[slot];
  const auto given = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.id == id; });
  if (given != arguments.end()) {
    arguments_.push_back({slot, given->value});
    return;
  }
  std::string wanted;
  const auto want = [&](std::string_view names, std::span<const std::int64_t> slots) {
    if (std::find(slots.begin(), slots.end(), static_cast<std::int64_t>(slot)) != slots.end()) wanted = names;
  };
  for (const CheckRow& check : pattern_.checks) want(check.arguments, check.slots);
  for (const PatternAttr& attr : after.attrs) want(attr.arguments, after.words.subspan(attr.word0, attr.word_count));
  std::replace(wanted.begin(), wanted.end(), '|', ' ');
  throw Error("'" + std::string(pattern_.name) + "' reads the argument '" + wanted +
              "', which is missing or has another type");
}

}  // namespace graft::inline v1
