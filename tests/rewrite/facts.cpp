#include <graft/rewrite/facts.hpp>

#include <map>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

/// How many values each tensor has.
struct Counts {
  static constexpr std::string_view fact_name = "counts", fact_maker = "count";

  std::map<std::string, int, std::less<>> of{};

  void erase(std::string_view tensor) { of.erase(std::string(tensor)); }
  void rename(std::string_view from, std::string_view to) {
    if (auto entry = of.extract(std::string(from))) of[std::string(to)] = entry.mapped();
  }
  void join(std::string_view tensor, std::span<const std::string> parts) {
    for (const std::string& part : parts) of[std::string(tensor)] += of.at(part);
  }
};

struct Favourite {
  static constexpr std::string_view fact_name = "the favourite";

  std::string node{};

  void rename_node(std::string_view from, std::string_view to) {
    if (node == from) node = to;
  }
  void copy_node(std::string_view from, std::string_view to) {
    if (node == from) node += " " + std::string(to);
  }
};

}  // namespace

TEST_CASE("there is one fact of each type") {
  Facts facts;
  CHECK(facts.find<Count>() == nullptr);
  CHECK(facts.edit<Count>() == nullptr);
  facts.provide(Count{3});
  facts.provide(Favourite{"three"});
  CHECK(facts.find<Count>()->value == 3);
  CHECK(facts.find<Favourite>()->node == "three");
  facts.provide(Count{4});
  ++facts.edit<Count>()->value;
  CHECK(facts.find<Count>()->value == 5);
  ++facts.edit_or_provide<Count>().value;
  CHECK(facts.find<Count>()->value == 6);
  CHECK(facts.value_or_default<Count>().value == 6);
  facts.withdraw<Count>();
  CHECK(facts.value_or_default<Count>().value == 0);
  CHECK(facts.find<Count>() == nullptr);
  CHECK(facts.edit_or_provide<Count>().value == 0);
  CHECK(facts.find<Favourite>() != nullptr);
}

TEST_CASE("copies share facts until one changes its own") {
  Facts facts;
  facts.provide(Count{3});
  Facts copy = facts;
  CHECK(copy.find<Count>() == facts.find<Count>());
  copy.edit<Count>()->value = 4;
  CHECK(facts.find<Count>()->value == 3);
  CHECK(copy.find<Count>()->value == 4);
  Facts third = facts;
  third.provide(Count{5});
  CHECK(facts.find<Count>()->value == 3);
}

TEST_CASE("every fact follows the tensors and the nodes") {
  Facts facts;
  facts.provide(Counts{{{"x", 1}, {"y", 2}, {"z", 3}}});
  facts.provide(Favourite{"conv"});
  facts.provide(Count{1});
  const Facts before = facts;
  facts.tensor_changed("y");
  facts.tensor_renamed("x", "in");
  facts.tensor_joined("both", std::vector<std::string>{"in", "z"});
  facts.node_renamed("conv", "first");
  CHECK(facts.find<Counts>()->of == std::map<std::string, int, std::less<>>{{"in", 1}, {"z", 3}, {"both", 4}});
  CHECK(facts.find<Favourite>()->node == "first");
  facts.node_copied("first", "second");
  CHECK(facts.find<Favourite>()->node == "first second");
  CHECK(facts.find<Count>() == before.find<Count>());  // what an edit does not concern stays shared
  CHECK(facts.find<Count>()->value == 1);
  CHECK(before.find<Counts>()->of.size() == 3);
  CHECK(before.find<Favourite>()->node == "conv");
}

TEST_CASE("a rewriter carries facts to a tensor's new name when it commits") {
  Small m;
  Model model = m.finish(m.op("Tanh", {&m.op("Relu", {&m.in})}));
  Context context;
  Value& inner = *model.graph().first_node()->output(0);
  const std::string name(inner.name());
  context.facts.provide(Counts{{{name, 1}}});
  {
    Rewriter rw(model.graph(), context);
    rw.rename(inner, "taken_back");
    CHECK(context.facts.find<Counts>()->of.contains(name));
    rw.rollback();
    rw.rename(inner, "h");
    CHECK(rw.accept());
  }
  CHECK(context.facts.find<Counts>()->of == std::map<std::string, int, std::less<>>{{"h", 1}});
}

TEST_CASE("a rewriter carries facts to a node's new name when it commits") {
  Small m;
  Model model = m.finish(m.op("Tanh", {&m.in}));
  Context context;
  Node& tanh = *model.graph().first_node();
  model.graph().rename(tanh, "old");
  context.facts.provide(Favourite{"old"});
  Rewriter rw(model.graph(), context);
  rw.rename(tanh, "new");
  CHECK(context.facts.find<Favourite>()->node == "old");
  CHECK(rw.accept());
  CHECK(context.facts.find<Favourite>()->node == "new");
}
