#include <graft/rewrite/rule_view.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a rule without its types is the same rule") {
  const RuleView view = relu_relu.view();
  CHECK(view.name() == "relu-relu");
  CHECK(to_string(view.before) == "Relu(Relu(%x))");
  CHECK(to_string(view.after) == "Relu(%x)");
  CHECK(view.before.closed);
  CHECK(view.apply == nullptr);
  CHECK(view.view().rule == &relu_relu);

  Small m;
  Model model = m.finish(m.op("Relu", {&m.op("Relu", {&m.in})}));
  CHECK(fixpoint(std::vector<RuleView>{view}).run(model).changes == 1);
}

TEST_CASE("the function of a rule is called through its view") {
  static constexpr auto renamed = rule<"renamed">(op<"Relu">(x).as(act), [](const auto& m, Rewriter& rw) {
    rw.set_attribute(m[act], {"seen", 1});
    return Verdict::yes();
  });
  const RuleView view = renamed.view();
  CHECK(view.after.nodes.empty());
  CHECK(view.before.nodes[0].reemitted);
  Small m;
  Model model = m.finish(m.op("Relu", {&m.in}));
  sweep(std::vector<RuleView>{view}).run(model);
  CHECK(model.graph().first_node()->attribute("seen") != nullptr);
}
