#pragma once
#include <graft/testing/detail/grow/pattern_grower.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/pattern/table.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE bool PatternGrower::bind(std::size_t at, Value* value) {
  const PatternNode& here = row(at);
  if (here.slot < 0 || value == nullptr || here.listed) return true;
  const auto [place, fresh] = values_.try_emplace(here.slot, value);
  return fresh || place->second == value;
}

GRAFT_INLINE NodeOperand PatternGrower::leaf(std::size_t at) const {
  const PatternNode& here = row(at);
  NodeOperand operand;
  if (here.slot >= 0 && !here.listed) {
    if (const auto bound = values_.find(here.slot); bound != values_.end()) {
      operand.kind = NodeOperand::Kind::given;
      operand.value = bound->second;
      return operand;
    }
  }
  operand.kind = here.step == Step::constant ? NodeOperand::Kind::constant : NodeOperand::Kind::free;
  for (const PatternAttr& demand : pattern_.attrs.subspan(here.attr0, here.attr_count)) {
    switch (demand.mode) {
      case AttrMode::rank: operand.rank = static_cast<std::size_t>(demand.literal.i); break;
      case AttrMode::dtype: operand.dtypes &= static_cast<std::uint32_t>(demand.literal.i); break;
      case AttrMode::scalar: operand.scalar = true; break;
      case AttrMode::positive: operand.positive = true; break;
      case AttrMode::all_equal: operand.all_equal = demand.literal.f; break;
      case AttrMode::known: operand.kind = NodeOperand::Kind::constant; break;
      default: break;
    }
  }
  return operand;
}

GRAFT_INLINE std::size_t PatternGrower::choose(std::size_t at) {
  while (row(at).step == Step::opt || row(at).step == Step::either) {
    const std::size_t first = at + 1;
    if (row(at).step == Step::either) {
      at = grower_->dice().one_in(2) ? first : row(first).end + 1;
      continue;
    }
    const bool is_bound = row(first).slot >= 0 && values_.count(row(first).slot) != 0;
    if (!is_bound && grower_->dice().one_in(2)) return 0;
    at = first;
  }
  return at;
}

GRAFT_INLINE void PatternGrower::add_operands(NodeMaker& node, std::size_t at, std::vector<std::size_t>& leaves) {
  const std::size_t end = row(at).end;
  const auto add = [&](NodeOperand operand, std::size_t leaf_row = 0) {
    node.operands.push_back(std::move(operand));
    leaves.push_back(leaf_row);
  };
  for (std::size_t child = at + 1; child < end; child = row(child).end) {
    const PatternNode& here = row(child);
    if (here.step == Step::rest) {
      // The last operands stay free, because their number is up to the recipe.
      if (here.end == end && node.facts().max_inputs != schema::Operator::unbounded) {
        node.closed_inputs = false;
        continue;
      }
      for (std::size_t more = grower_->dice().below(3); more > 0; --more) add({});
      if (here.end == end && leaves.empty()) add({});
      continue;
    }
    if (here.step == Step::each) {
      for (std::size_t round = 1 + grower_->dice().below(2); round > 0; --round) {
        NodeOperand operand;
        operand.kind = NodeOperand::Kind::given;
        operand.value = build(child + 1);
        add(operand.value != nullptr ? operand : leaf(child + 1));
      }
      continue;
    }
    const std::size_t chosen = choose(child);
    const Step step = chosen != 0 ? row(chosen).step : Step::none;
    NodeOperand operand;
    if (step == Step::none) {
      operand.kind = NodeOperand::Kind::absent;
      add(operand);
    } else if (step == Step::value || step == Step::constant) {
      operand.kind = NodeOperand::Kind::free;  // chosen when all operators below exist
      add(operand, chosen);
    } else {
      operand.kind = NodeOperand::Kind::given;
      operand.value = build(chosen);
      add(operand);
    }
  }
  settle_leaves(node, leaves);
  if (row(at).commutative && node.operands.size() == 2 && grower_->dice().one_in(2)) {
    std::swap(node.operands[0], node.operands[1]);
    std::swap(leaves[0], leaves[1]);
    for (NodeOperand& operand : node.operands)
      if (operand.kind == NodeOperand::Kind::twin) throw Unfit();
  }
}

GRAFT_INLINE void PatternGrower::settle_leaves(NodeMaker& node, const std::vector<std::size_t>& leaves) const {
  std::map<std::int16_t, std::size_t> first_of;
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    if (leaves[i] == 0) continue;
    node.operands[i] = leaf(leaves[i]);
    const std::int16_t slot = row(leaves[i]).slot;
    if (slot < 0 || node.operands[i].kind == NodeOperand::Kind::given) continue;
    const auto [place, fresh] = first_of.try_emplace(slot, i);
    if (!fresh) {
      node.operands[i].kind = NodeOperand::Kind::twin;
      node.operands[i].twin = place->second;
    }
  }
}

}  // namespace graft::inline v1::detail
