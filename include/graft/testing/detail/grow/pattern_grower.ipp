#pragma once
#include <graft/testing/detail/grow/pattern_grower.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/pattern/link.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/testing/detail/grow/recipe.hpp>
#include <graft/testing/detail/unknown_words.hpp>

namespace graft::inline v1::detail {

/// One of the row's operators; if it names none, one that keeps its operand's shape.
inline std::string one_name(Dice& dice, std::string_view joined) {
  std::vector<std::string> names;
  each_name(joined, [&](std::string_view name) { names.emplace_back(name); });
  if (names.empty() || joined.empty()) return dice.any_of({"Relu", "Neg", "Abs"});
  return dice.any_of(names);
}

GRAFT_INLINE Node& PatternGrower::build_operator(std::size_t at) {
  const PatternNode& here = row(at);
  NodeMaker node(*grower_, one_name(grower_->dice(), here.op));
  if (node.version() < here.since || node.version() >= here.before) throw Unfit();
  node.is_free = false;
  node.closed_inputs = true;
  std::vector<std::size_t> leaves;
  add_operands(node, at, leaves);
  say_attributes(node, at);
  const Recipe* const recipe = find_recipe(node.op());
  if (recipe == nullptr) throw Unfit();
  recipe->make(node);
  Node& made = node.finish();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i] != 0 && !bind(leaves[i], made.input(i))) throw Unfit();
  }
  for (std::size_t i = 0; i < made.input_count(); ++i) {
    Value* const input = made.input(i);
    if (input != nullptr && input->initializer() != nullptr && is_float(input->dtype())) constants_.push_back(input);
  }
  if (here.slot >= 0) nodes_[here.slot] = &made;
  remember_attributes(made, at);
  return made;
}

GRAFT_INLINE Value* PatternGrower::build_chain(std::size_t at) {
  Value* value = build(at + 1);
  if (value == nullptr) value = &grower_->pick({});
  for (std::size_t links = grower_->dice().below(3); links > 0; --links) {
    NodeMaker node(*grower_, one_name(grower_->dice(), row(at).op));
    node.operands.emplace_back();
    node.operands[0].kind = NodeOperand::Kind::given;
    node.operands[0].value = value;
    const Recipe* const recipe = find_recipe(node.op());
    if (recipe == nullptr) throw Unfit();
    recipe->make(node);
    value = node.finish().output(0);
  }
  return value;
}

GRAFT_INLINE Value* PatternGrower::build(std::size_t at) {
  const PatternNode& here = row(at);
  switch (here.step) {
    case Step::op: {
      Node& node = build_operator(at);
      if (root_ == nullptr || at == 0) root_ = &node;
      return node.output(here.out);
    }
    case Step::output: {
      const auto node = nodes_.find(here.slot);
      if (node == nodes_.end()) throw Unfit();
      return node->second->output(here.out);
    }
    case Step::either: {
      const std::size_t first = at + 1, second = row(first).end + 1;
      return build(grower_->dice().one_in(2) ? first : second);
    }
    case Step::opt: return grower_->dice().one_in(2) ? nullptr : build(at + 1);
    case Step::chain: return build_chain(at);
    case Step::root: return build(at + 1);
    case Step::value:
    case Step::constant: {
      if (const NodeOperand operand = leaf(at); operand.kind == NodeOperand::Kind::given) return operand.value;
      if (here.step == Step::constant) return nullptr;
      Value& value = grower_->pick({});
      if (!bind(at, &value)) throw Unfit();
      return &value;
    }
    default: return nullptr;
  }
}

GRAFT_INLINE bool PatternGrower::matches_with_other_constants(Node& root) {
  const Linked linked(pattern_, grower_->graph().model());
  Matcher matcher;
  if (!linked.may_be_root(root.op())) return false;
  if (matcher.run(linked, root)) return true;
  // Numbers that are usual in activations and normalizations.
  constexpr std::array<double, 16> numbers{1.4142135623730951, 0.7071067811865476, 0.16666667, 0.79788456, 0.044715,
                                           1.702, 0.5, 2, 3, 6, 1, 0, -1, 1e-5, 1e-12, 0.25};
  for (Value* const value : constants_) {
    if (value->erased() || value->initializer() == nullptr) continue;
    const Tensor before = *value->constant();
    if (before.size() != 1) continue;
    for (const double number : numbers) {
      grower_->graph().set_initializer(*value, Tensor::of(before.dtype(), before.dims(), {number}));
      if (matcher.run(linked, root)) return true;
    }
    grower_->graph().set_initializer(*value, before);
  }
  return false;
}

GRAFT_INLINE bool PatternGrower::add(std::size_t attempts) {
  if (pattern_.nodes.empty()) return false;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    Dice& dice = grower_->dice();
    const DType main = grower_->main_dtype();
    grower_->prefer(static_cast<std::size_t>(dice.any_of({0, 1, 2, 2, 3, 3, 4, 4, 4, 4})),
                    dice.one_in(3) ? dice.any_of(grower_->vocabulary().dtypes) : main);
    values_.clear();
    nodes_.clear();
    attributes_.clear();
    constants_.clear();
    root_ = nullptr;
    const std::size_t mark = grower_->mark();
    Transaction transaction(grower_->graph());
    bool found = false;
    try {
      build(0);
      found = root_ != nullptr && matches_with_other_constants(*root_);
    } catch (const Unfit&) {
    } catch (const Error&) {  // an attribute that a predicate cannot read
    }
    grower_->prefer(0, main);
    const bool stays = found || (root_ != nullptr && attempt + 1 == attempts);
    if (stays) {
      transaction.keep();
      return found;
    }
    transaction.rollback();
    grower_->forget(mark);
  }
  return false;
}

}  // namespace graft::inline v1::detail
