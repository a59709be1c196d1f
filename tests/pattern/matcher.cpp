#include <graft/pattern/matcher.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/pattern/assign_slots.hpp>
#include <graft/pattern/print.hpp>

// The matcher against one that tries everything, on random graphs and random patterns.

using namespace graft;

namespace {

/// A pattern as a tree, which a table is made from, and which the other matcher reads.
struct Tree {
  Step step = Step::value;
  std::string_view op{};
  int capture = -1;  // captures 0-3 are values, 4-5 constants, 6-7 lists
  bool commutative = false, shared = false;
  std::vector<Tree> below{};
};

constexpr std::array<CaptureId, 8> captures{
    capture_id("a", Kind::value),    capture_id("b", Kind::value),    capture_id("c", Kind::value),
    capture_id("d", Kind::value),    capture_id("k", Kind::constant), capture_id("l", Kind::constant),
    capture_id("m", Kind::operands), capture_id("n", Kind::operands)};
constexpr std::array<std::string_view, 8> names{"a", "b", "c", "d", "k", "l", "m", "n"};

class Table {
 public:
  explicit Table(const Tree& tree) {
    add(tree, -1, 0);
    detail::assign_slots(detail::MutableTable{rows_, {}, {}}, captures);
  }
  RulePattern pattern() const {
    RulePattern table;
    table.nodes = rows_;
    table.captures = captures;
    return table;
  }

 private:
  void add(const Tree& tree, std::int16_t parent, std::size_t operand) {
    const std::size_t at = rows_.size();
    PatternNode row;
    row.step = tree.step;
    row.op = tree.op;
    row.parent = parent;
    row.operand = static_cast<std::uint16_t>(operand);
    row.operand_count = static_cast<std::uint16_t>(tree.below.size());
    row.commutative = tree.commutative;
    row.shared = tree.shared;
    row.same_value = parent >= 0 && rows_[static_cast<std::size_t>(parent)].step != Step::op;
    if (tree.capture >= 0) {
      row.id = captures[static_cast<std::size_t>(tree.capture)];
      row.name = names[static_cast<std::size_t>(tree.capture)];
    }
    for (const Tree& child : tree.below) row.variadic |= child.step == Step::rest || child.step == Step::each;
    rows_.push_back(row);
    for (std::size_t k = 0; k < tree.below.size(); ++k) {
      add(tree.below[k], static_cast<std::int16_t>(at), k);
      if (tree.step == Step::either && k == 0) mark(Step::otherwise, at);
    }
    if (tree.step == Step::each) mark(Step::again, at);
    rows_[at].end = static_cast<std::uint16_t>(rows_.size());
  }
  void mark(Step step, std::size_t parent) {
    PatternNode row;
    row.step = step;
    row.parent = static_cast<std::int16_t>(parent);
    row.end = static_cast<std::uint16_t>(rows_.size() + 1);
    rows_.push_back(row);
  }

  std::vector<PatternNode> rows_;
};

/// Tries every way to match a tree, by recursion over copies of what is bound.
class TryEverything {
 public:
  explicit TryEverything(Node& root) : root_(root) {}

  bool matches(const Tree& tree) { return operation(tree, root_, {}, [this](const State& s) { return is_inside(s); }); }

 private:
  struct State {
    std::map<int, const Value*> values;
    std::map<int, std::vector<const Value*>> lists;
    std::map<const Node*, bool> nodes;  // whether it may be used from outside
    std::set<const Use*> uses;          // where an inner value is read as such
  };
  using Then = std::function<bool(const State&)>;

  bool value(const Tree& tree, const Use* use, State s, const Then& then) {
    Value* const v = use == nullptr ? nullptr : use->value();
    Node* const producer = v == nullptr ? nullptr : v->producer();
    switch (tree.step) {
      case Step::none: return v == nullptr && then(s);
      case Step::opt: return v == nullptr ? absent(tree.below[0], s, then) : value(tree.below[0], use, s, then);
      case Step::either: return value(tree.below[0], use, s, then) || value(tree.below[1], use, s, then);
      case Step::chain: {
        if (value(tree.below[0], use, s, then)) return true;
        if (producer == nullptr || producer->op_type() != tree.op || v->use_count() != 1) return false;
        s.nodes.emplace(producer, true);
        s.uses.insert(use);
        return value(tree, &producer->use(0), s, then);
      }
      case Step::op: s.uses.insert(use); return producer != nullptr && operation(tree, *producer, s, then);
      default: break;
    }
    if (v == nullptr || (tree.step == Step::constant && !v->is_constant())) return false;
    if (tree.capture < 0) return then(s);
    const auto [bound, fresh] = s.values.try_emplace(tree.capture, v);
    if (fresh || bound->second == v) return then(s);
    if (bound->second == nullptr || tree.step != Step::constant) return false;
    return bound->second->constant()->same_bytes(*v->constant()) && then(s);
  }

  bool absent(const Tree& tree, State s, const Then& then) {
    if (tree.capture >= 0 && s.values.try_emplace(tree.capture, nullptr).first->second != nullptr) return false;
    return then(s);
  }

  bool operation(const Tree& tree, Node& node, State s, const Then& then) {
    if (tree.step == Step::either) {
      return operation(tree.below[0], node, s, then) || operation(tree.below[1], node, s, then);
    }
    if (tree.step != Step::op || node.op_type() != tree.op) return false;
    const auto place = s.nodes.try_emplace(&node, true).first;
    place->second = place->second && tree.shared;
    std::vector<const Use*> inputs;
    for (std::size_t i = 0; i < node.input_count(); ++i) inputs.push_back(&node.use(i));
    while (!inputs.empty() && inputs.back()->value() == nullptr) inputs.pop_back();
    if (operands(tree, 0, inputs, 0, s, then)) return true;
    if (!tree.commutative) return false;
    inputs.resize(2);
    std::swap(inputs[0], inputs[1]);
    return operands(tree, 0, inputs, 0, s, then);
  }

  bool operands(const Tree& tree, std::size_t k, const std::vector<const Use*>& inputs, std::size_t i, const State& s,
                const Then& then) {
    if (k == tree.below.size()) return i >= inputs.size() && then(s);
    const Tree& operand = tree.below[k];
    const auto go_on = [&, k](std::size_t next) {
      return [&, k, next](const State& t) { return operands(tree, k + 1, inputs, next, t, then); };
    };
    if (operand.step != Step::rest && operand.step != Step::each) {
      return value(operand, i < inputs.size() ? inputs[i] : nullptr, s, go_on(i + 1));
    }
    for (std::size_t end = i; end <= std::max(inputs.size(), i); ++end) {
      if (operand.step == Step::each) {
        if (rounds(operand.below[0], inputs, i, end, s, go_on(end))) return true;
        continue;
      }
      State t = s;
      std::vector<const Value*> taken;
      for (std::size_t at = i; at < std::min(end, inputs.size()); ++at) taken.push_back(inputs[at]->value());
      if (operand.capture >= 0 && t.lists.try_emplace(operand.capture, taken).first->second != taken) continue;
      if (go_on(end)(t)) return true;
    }
    return false;
  }

  bool rounds(const Tree& tree, const std::vector<const Use*>& inputs, std::size_t i, std::size_t end, const State& s,
              const Then& then) {
    if (i == end) return then(s);
    return value(tree, inputs[i], s, [&](const State& t) { return rounds(tree, inputs, i + 1, end, t, then); });
  }

  bool is_inside(const State& s) const {
    for (const auto& [node, shared] : s.nodes) {
      if (shared || node == &root_) continue;
      for (const Value& output : node->outputs()) {
        for (const Use& use : output.uses()) {
          if (!s.uses.contains(&use)) return false;
        }
      }
    }
    return true;
  }

  Node& root_;
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

std::string_view unary(Random& random) { return random.one_in(2) ? "Relu" : "Neg"; }
std::string_view binary(Random& random) { return random.one_in(2) ? "Add" : "Mul"; }

/// Few operators and few values, so that there is much to confuse.
void grow(Builder& build, Random& random) {
  std::vector<Value*> values{&build.input("p", DType::f32, {2}), &build.input("q", DType::f32, {2}),
                             &build.constant(Tensor::scalar(1.0f), "one"),
                             &build.constant(Tensor::scalar(1.0f), "same"),
                             &build.constant(Tensor::scalar(2.0f), "two")};
  const auto pick = [&]() {
    const int last = static_cast<int>(values.size());
    const int which = random.one_in(2) ? last - 1 - random.below(3) : random.below(last);
    return values[static_cast<std::size_t>(which)];
  };
  for (int i = 0; i < 8; ++i) {
    switch (random.below(4)) {
      case 0: values.push_back(&build.op(unary(random), {pick()})); break;
      case 1: values.push_back(&build.op("Clip", {pick(), random.one_in(2) ? nullptr : pick(), pick()})); break;
      case 2: values.push_back(&build.op("Concat", {pick(), pick(), pick()}, {{"axis", 0}})); break;
      default: values.push_back(&build.op(binary(random), {pick(), pick()}));
    }
  }
  build.output(*values.back());
}

Tree leaf(Random& random) {
  Tree tree;
  if (random.one_in(6)) return tree;
  const bool constant = random.one_in(4);
  tree.step = constant ? Step::constant : Step::value;
  tree.capture = constant ? 4 + random.below(2) : random.below(4);
  return tree;
}

Tree rest_of(Random& random) {
  Tree tree;
  tree.step = Step::rest;
  if (random.one_in(2)) tree.capture = 6 + random.below(2);
  return tree;
}

Tree wrap(Step step, std::vector<Tree> below) {
  Tree tree;
  tree.step = step;
  tree.below = std::move(below);
  return tree;
}

/// A tree that fits the value, made more general here and there; now and then one that does not fit.
Tree generalized(const Value* value, Random& random, int depth) {
  if (value == nullptr) return random.one_in(2) ? wrap(Step::none, {}) : wrap(Step::opt, {leaf(random)});
  const Node* const node = value->producer();
  if (node == nullptr || depth == 0 || random.one_in(5)) return leaf(random);
  if (random.one_in(8)) {
    Tree other = leaf(random);
    Tree fitting = generalized(value, random, depth - 1);
    return random.one_in(2) ? wrap(Step::either, {other, fitting}) : wrap(Step::either, {fitting, other});
  }
  if (node->input_count() == 1 && random.one_in(4)) {
    Tree chain = wrap(Step::chain, {generalized(node->input(0), random, depth - 1)});
    chain.op = random.one_in(6) ? unary(random) : node->op_type();
    return chain;
  }
  Tree tree;
  tree.step = Step::op;
  tree.op = random.one_in(12) ? binary(random) : node->op_type();
  tree.shared = random.one_in(2);
  const bool is_concat = node->op_type() == "Concat";
  if (is_concat && random.one_in(4)) {
    Tree first = generalized(node->input(0), random, depth - 1);
    tree.below = {wrap(Step::each, {first})};
    return tree;
  }
  for (const Value* input : node->inputs()) {
    if (is_concat && random.one_in(3)) tree.below.push_back(rest_of(random));
    if (is_concat && random.one_in(4)) continue;
    Tree operand = generalized(input, random, depth - 1);
    const bool optional = operand.step == Step::value && random.one_in(4);
    tree.below.push_back(optional ? wrap(Step::opt, {operand}) : operand);
  }
  if (is_concat && random.one_in(3)) tree.below.push_back(rest_of(random));
  if (node->input_count() == 2 && random.one_in(2)) {
    tree.commutative = true;
    if (random.one_in(2)) std::swap(tree.below[0], tree.below[1]);
  }
  return tree;
}

}  // namespace

TEST_CASE("the matcher finds a match exactly where there is one") {
  int found = 0, tried = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Builder build(17);
    grow(build, random);
    for (Node& made_for : build.graph().nodes()) {
      for (int k = 0; k < 3; ++k) {
        const Tree tree = generalized(made_for.output(0), random, 4);
        if (tree.step != Step::op) continue;
        const Table table(tree);
        const RulePattern pattern = table.pattern();
        const Linked linked(pattern, build.graph().model());
        Matcher matcher;
        for (Node& node : build.graph().nodes()) {
          const bool expected = TryEverything(node).matches(tree);
          ++tried;
          found += expected;
          if (matcher.run(linked, node) == expected) continue;
          INFO("seed " << seed << ", at " << node.output(0)->name() << ": " << to_string(pattern));
          FAIL("expected " << (expected ? "a match" : "none"));
        }
      }
    }
  }
  CHECK(found > tried / 50);
  CHECK(found < tried / 2);
}

TEST_CASE("a matcher serves one pattern after the other") {
  Builder build(17);
  Value& in = build.input("in", DType::f32, {2});
  Value& relu = build.op("Relu", {&in});
  Tree big;
  big.step = Step::op;
  big.op = "Concat";
  big.below = {Tree{Step::rest, {}, 6}, Tree{Step::value, {}, 0}};
  Tree small;
  small.step = Step::op;
  small.op = "Relu";
  small.below = {Tree{Step::value, {}, 1}};
  const Table big_table(big), small_table(small);
  const Linked linked_big(big_table.pattern(), build.graph().model());
  const Linked linked_small(small_table.pattern(), build.graph().model());
  Node& concat = *build.op("Concat", {&in, &relu}, {{"axis", 0}}).producer();
  Matcher matcher;
  REQUIRE(matcher.run(linked_big, concat));
  CHECK(matcher.state().slots[0].data == &relu);
  CHECK(matcher.state().slots[6].size == 1);
  REQUIRE(matcher.run(linked_small, *relu.producer()));
  CHECK(matcher.state().slots[1].data == &in);
  CHECK_FALSE(matcher.state().slots[0].bound());
  CHECK_FALSE(matcher.state().slots[6].bound());
  CHECK_FALSE(matcher.run(linked_small, concat));
}
