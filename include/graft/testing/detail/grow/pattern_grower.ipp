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

/// One of the operators that a row names; any that keeps its operand's shape if it names none.
inline std::string one_name(Dice& dice, std::string_view joined) {
  std::vector<std::string> names;
  each_name(joined, [&](std::string_view name) { names.emplace_back(name); });
  if (names.empty() || joined.empty()) return dice.any_of({"Relu", "Neg", "Abs"});
  return dice.any_of(names);
}

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

GRAFT_INLINE void PatternGrower::say_attributes(NodeMaker& node, std::size_t at) const {
  const PatternNode& here = row(at);
  node.closed_attributes = pattern_.closed && !here.open && !here.reemitted;
  for (const PatternAttr& said : pattern_.attrs.subspan(here.attr0, here.attr_count)) {
    const schema::Place place = schema::parameter(node.facts(), said.name);
    if (!place) {
      if (!said.optional && said.mode == AttrMode::equals) throw Unfit();
      continue;
    }
    const bool is_input = place.kind == schema::Place::Kind::input;
    const std::string_view name = is_input ? said.name : node.facts().attributes()[place.index].name();
    node.mentioned.push_back(name);
    std::optional<Attribute> value;
    if (const auto bound = attributes_.find(said.slot); said.slot >= 0 && bound != attributes_.end()) {
      value = Attribute(name, bound->second.proto());
    } else if (said.mode == AttrMode::equals && !(said.optional && grower_->dice().one_in(2))) {
      const Ints words(pattern_.words.begin() + said.word0, pattern_.words.begin() + said.word0 + said.word_count);
      switch (said.type) {
        case Kind::f32: value = Attribute(name, said.literal.f); break;
        case Kind::str: value = Attribute(name, said.literal.s); break;
        case Kind::ints:
        case Kind::axes: value = Attribute(name, words); break;
        default: value = Attribute(name, said.literal.i); break;
      }
    }
    if (!is_input) {
      if (value) node.fixed.emplace(std::string(name), *value);
      continue;
    }
    while (node.operands.size() <= place.index) {
      node.operands.emplace_back();
      node.operands.back().kind = NodeOperand::Kind::absent;
    }
    NodeOperand& operand = node.operands[place.index];
    if (operand.kind != NodeOperand::Kind::absent) continue;  // an operand of the pattern stands for it
    if (said.optional && grower_->dice().one_in(2)) continue;
    operand.kind = NodeOperand::Kind::constant;
    if (!value) continue;
    const onnx::AttributeProto& proto = value->proto();
    if (proto.type() == onnx::AttributeProto::INTS) {
      operand.contents = Tensor::of<std::int64_t>({proto.ints_size()}, Ints(proto.ints().begin(), proto.ints().end()));
    } else {
      operand.all_equal = proto.type() == onnx::AttributeProto::FLOAT ? static_cast<double>(proto.f())
                                                                      : static_cast<double>(proto.i());
    }
  }
}

GRAFT_INLINE void PatternGrower::remember_attributes(const Node& node, std::size_t at) {
  const PatternNode& here = row(at);
  for (const PatternAttr& said : pattern_.attrs.subspan(here.attr0, here.attr_count)) {
    if (said.mode != AttrMode::capture || said.slot < 0 || node.schema() == nullptr) continue;
    const schema::Place place = schema::parameter(*node.schema(), said.name);
    if (place.kind == schema::Place::Kind::attribute) {
      const onnx::AttributeProto* const given = node.attribute(node.schema()->attributes()[place.index].name());
      if (given != nullptr) attributes_.try_emplace(said.slot, Attribute(*given));
    } else if (place.kind == schema::Place::Kind::input && node.input(place.index) != nullptr) {
      const std::optional<Tensor> contents = node.input(place.index)->constant();
      if (contents && is_integer(contents->dtype()))
        attributes_.try_emplace(said.slot, Attribute(said.name, contents->to<std::int64_t>()));
    }
  }
}

GRAFT_INLINE void PatternGrower::add_operands(NodeMaker& node, std::size_t at, std::vector<std::size_t>& leaves) {
  const std::size_t end = row(at).end;
  std::size_t open = 0;
  for (std::size_t child = at + 1; child < end; child = row(child).end) {
    const PatternNode& here = row(child);
    std::size_t look = child;
    if (here.step == Step::rest) {
      // The last operands stay free: its recipe knows how many.
      if (here.end == end && node.facts().max_inputs != schema::Operator::unbounded) {
        node.closed_inputs = false;
        continue;
      }
      for (std::size_t more = grower_->dice().below(3); more > 0; --more, ++open) {
        node.operands.emplace_back();
        leaves.push_back(0);
      }
      if (here.end == end && leaves.empty()) node.operands.emplace_back(), leaves.push_back(0);
      continue;
    }
    if (here.step == Step::each) {
      for (std::size_t round = 1 + grower_->dice().below(2); round > 0; --round) {
        NodeOperand operand;
        operand.kind = NodeOperand::Kind::given;
        operand.value = build(child + 1);
        if (operand.value == nullptr) operand = leaf(child + 1);
        node.operands.push_back(operand);
        leaves.push_back(0);
      }
      continue;
    }
    while (row(look).step == Step::opt || row(look).step == Step::either) {
      if (row(look).step == Step::opt) {
        const std::size_t inner = look + 1;
        const bool bound = row(inner).slot >= 0 && values_.count(row(inner).slot) != 0;
        if (!bound && grower_->dice().one_in(2)) {
          look = 0;
          break;
        }
        look = inner;
      } else {
        const std::size_t first = look + 1, second = row(first).end + 1;
        look = grower_->dice().one_in(2) ? first : second;
      }
    }
    NodeOperand operand;
    operand.kind = NodeOperand::Kind::absent;
    leaves.push_back(look);
    if (look != 0 && row(look).step != Step::none) {
      const Step step = row(look).step;
      if (step == Step::value || step == Step::constant) {
        operand.kind = NodeOperand::Kind::free;  // settled when all operators below are there
      } else {
        operand.kind = NodeOperand::Kind::given;
        operand.value = build(look);
        leaves.back() = 0;
      }
    } else {
      leaves.back() = 0;
    }
    node.operands.push_back(operand);
  }
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
  if (row(at).commutative && node.operands.size() == 2 && grower_->dice().one_in(2)) {
    std::swap(node.operands[0], node.operands[1]);
    std::swap(leaves[0], leaves[1]);
    for (NodeOperand& operand : node.operands)
      if (operand.kind == NodeOperand::Kind::twin) throw Unfit();
  }
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
  // Numbers that activations and normalizations are written with.
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
