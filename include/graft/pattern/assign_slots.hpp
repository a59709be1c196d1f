#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/error.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/table.hpp>

// Turns names into slots, once, when a rule or query is made. It works on spans, so that it is compiled once.

namespace graft::inline v1::detail {

struct MutableTable {
  std::span<PatternNode> nodes;
  std::span<PatternAttr> attrs;
  std::span<std::int64_t> words;
};

template <class P>
constexpr MutableTable table_of(P& p) {
  return {p.nodes, p.attrs, p.words};
}

/// The slots of one table.
class Slots {
 public:
  constexpr explicit Slots(std::span<const CaptureId> captures) : captures_(captures) {}

  constexpr std::int16_t find(CaptureId id) const {
    for (std::size_t i = 0; id != 0 && i < captures_.size(); ++i) {
      if (name_of(captures_[i]) == name_of(id)) return static_cast<std::int16_t>(i);
    }
    return -1;
  }
  constexpr bool is_list(std::int16_t slot) const {
    return slot >= 0 && form_of(captures_[static_cast<std::size_t>(slot)]) == Form::list;
  }
  constexpr void resolve(std::span<std::int64_t> ids) const {
    for (std::int64_t& id : ids) id = find(static_cast<CaptureId>(id));
  }

 private:
  std::span<const CaptureId> captures_;
};

/// The nearest row below a root with only operators above it, and a capture that is certainly bound before the root:
/// its readers lead to that root's node. Values are preferred to constants, of which equal copies may exist.
constexpr std::int16_t find_anchor(std::span<const PatternNode> nodes, std::size_t root) {
  const auto optional = [&](std::size_t row) {
    for (std::int16_t r = nodes[row].parent; r >= 0; r = nodes[static_cast<std::size_t>(r)].parent) {
      const Step step = nodes[static_cast<std::size_t>(r)].step;
      if (step == Step::opt || step == Step::each || step == Step::either) return true;
    }
    return false;
  };
  const auto is_bound = [&](std::int16_t slot) {
    for (std::size_t r = 0; r < root; ++r) {
      if (nodes[r].slot == slot && !optional(r)) return true;
    }
    return false;
  };
  std::int16_t best = -1;
  std::size_t best_cost = 0;
  for (std::size_t r = root + 1; r < nodes[root].end; ++r) {
    const PatternNode& row = nodes[r];
    if (row.slot < 0 || (row.step != Step::value && row.step != Step::constant && row.step != Step::output)) continue;
    if (!is_bound(row.slot)) continue;
    std::size_t cost = row.step == Step::constant ? 100 : 0;
    auto up = static_cast<std::size_t>(row.parent);
    for (; up != root && nodes[up].step == Step::op; up = static_cast<std::size_t>(nodes[up].parent)) ++cost;
    if (up == root && (best < 0 || cost < best_cost)) best = static_cast<std::int16_t>(r), best_cost = cost;
  }
  return best;
}

constexpr bool is_operand(std::span<const PatternNode> nodes, std::size_t row) {
  if (nodes[row].parent < 0) return false;
  const PatternNode& parent = nodes[static_cast<std::size_t>(nodes[row].parent)];
  return parent.step == Step::op && !parent.commutative;
}

/// The operand before an operand.
constexpr std::int16_t find_previous(std::span<const PatternNode> nodes, std::size_t row) {
  const auto parent = static_cast<std::size_t>(nodes[row].parent);
  std::size_t before = parent + 1;
  if (before == row) return -1;
  while (nodes[before].end != row) before = nodes[before].end;
  return static_cast<std::int16_t>(before);
}

/// Whether two each(...) fill the same list.
constexpr bool shares_list(std::span<const PatternNode> nodes, std::size_t row) {
  for (std::size_t i = 0; i < row; ++i) {
    if (nodes[i].listed && nodes[i].slot == nodes[row].slot && nodes[i].round != nodes[row].round) return true;
  }
  return false;
}

constexpr void assign_slots(const MutableTable& table, std::span<const CaptureId> captures) {
  const Slots slots(captures);
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    PatternNode& row = table.nodes[i];
    if (row.parent >= 0) {
      const PatternNode& parent = table.nodes[static_cast<std::size_t>(row.parent)];
      row.round = parent.step == Step::each ? row.parent : parent.round;
      row.previous = find_previous(table.nodes, i);
    }
    if ((row.step == Step::rest || row.step == Step::each) && !is_operand(table.nodes, i)) {
      raise(Error("graft: rest<...> and each(...) stand among the operands of an operator that is not comm<...>"));
    }
    row.slot = slots.find(row.id);
    row.like = slots.find(row.like_id);
    row.listed = row.round >= 0 && slots.is_list(row.slot);
    if (row.listed && shares_list(table.nodes, i)) {
      raise(Error("graft: two each(...) of one pattern bind the same capture"));
    }
    for (std::size_t k = row.attr0; k < std::size_t{row.attr0} + row.attr_count; ++k) {
      PatternAttr& attr = table.attrs[k];
      attr.slot = slots.find(attr.id);
      attr.listed = row.round >= 0 && slots.is_list(attr.slot);
      if (attr.mode == AttrMode::computed) slots.resolve(table.words.subspan(attr.word0, attr.word_count));
    }
  }
  for (std::size_t i = 0; i < table.nodes.size(); ++i) {
    if (table.nodes[i].step != Step::root) continue;
    table.nodes[i].anchor = find_anchor(table.nodes, i);
    if (table.nodes[i].anchor < 0) {
      raise(Error("graft: a root of roots(...) has no captured operand below operators alone that is bound before it"));
    }
  }
}

constexpr void assign_slots(std::span<CheckRow> checks, std::span<const CaptureId> captures) {
  for (CheckRow& check : checks) Slots(captures).resolve(std::span(check.slots).first(check.slot_count));
}

/// Marks the nodes of a rule's `before` that the replacement builds again.
constexpr void mark_reemitted(std::span<PatternNode> before, std::span<const PatternNode> after) {
  for (const PatternNode& built : after) {
    if (built.step != Step::op || built.like < 0) continue;
    for (PatternNode& row : before) {
      if ((row.step == Step::op || row.step == Step::chain) && row.slot == built.like) row.reemitted = true;
    }
  }
}

/// The same for a replacement by a function: marks all captured nodes.
constexpr void mark_captured_reemitted(std::span<PatternNode> before) {
  for (PatternNode& row : before) {
    if ((row.step == Step::op || row.step == Step::chain) && row.slot >= 0) row.reemitted = true;
  }
}

}  // namespace graft::inline v1::detail
