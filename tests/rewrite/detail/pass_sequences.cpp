#include <graft/rewrite/pass.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

struct Log {
  std::string text;
  Pass step(const std::string& name) {
    return pass(name, [this, name](Graph&, Context&) {
      text += name;
      return Report();
    });
  }
};

/// Changes something that many times.
Pass changing(int& times) {
  return pass("changing", [&times](Graph&, Context&) {
    Report report;
    if (times > 0) --times, report.changes = 1;
    return report;
  });
}

}  // namespace

TEST_CASE("passes run one after the other") {
  Model model = Builder(17).build();
  Log log;
  const Pass all = log.step("a") | log.step("b") | (log.step("c") | log.step("d"));
  CHECK(to_string(all) == "a | b | c | d");
  CHECK(all.steps().size() == 4);
  const Report report = all.run(model);
  CHECK(log.text == "abcd");
  REQUIRE(report.steps.size() == 4);
  CHECK(report.steps[2].pass == "c");
  CHECK(report.pass == "a | b | c | d");
}

TEST_CASE("a pipeline with a name or needs of its own stays one step") {
  Log log;
  const Pass named = pass("both", log.step("a") | log.step("b"));
  CHECK((named | log.step("c")).name() == "both | c");
  const Pass needy = (log.step("a") | log.step("b")).needs(needs_opset(99));
  CHECK((needy | log.step("c")).steps().size() == 2);
  CHECK((needy | log.step("c")).needs().size() == 1);
}

TEST_CASE("a fixpoint repeats a pass until it changes nothing") {
  Model model = Builder(17).build();
  Log log;
  int times = 3;
  const Pass again = fixpoint(log.step("a") | changing(times));
  CHECK(to_string(again) == "fixpoint(a | changing)");
  const Report report = again.run(model);
  CHECK(log.text == "aaaa");
  CHECK(report.converged());
  CHECK(report.changes == 3);
  CHECK(report.steps.size() == 4);
}

TEST_CASE("a fixpoint that does not come to an end is ended") {
  Model model = Builder(17).build();
  int times = 1000;
  CHECK(fixpoint(changing(times)).run(model).outcome == Outcome::budget);
  CHECK(times == 900);
  Context context;
  context.budget.seconds = -1;
  CHECK(fixpoint(changing(times)).run(model, context).outcome == Outcome::budget);
  CHECK(times == 900);
}

TEST_CASE("cancelling ends a pipeline between its steps") {
  Model model = Builder(17).build();
  Log log;
  Context context;
  context.cancelled = [&] { return log.text == "a"; };
  const Report report = (log.step("a") | log.step("b")).run(model, context);
  CHECK(log.text == "a");
  CHECK(report.outcome == Outcome::cancelled);
}

TEST_CASE("a pipeline tells its progress by steps") {
  Model model = Builder(17).build();
  Log log;
  Context context;
  std::string seen;
  context.progress = [&](const Progress& at) {
    seen += std::string(at.pass) + std::to_string(at.done) + "/" + std::to_string(at.total) + " ";
  };
  (log.step("a") | log.step("b")).run(model, context);
  CHECK(seen == "a0/2 b1/2 ");
}

TEST_CASE("what no step provides is missed before the first one runs") {
  Model model = Builder(15).build();
  Log log;
  const Pass count =
      pass("count", [&](Graph&, Context& context) { context.facts.provide(Count{7}); }).provides<Count>();
  const Pass use = log.step("use").needs<Count>();
  const Pass raise =
      pass("raise", [](Graph& graph, Context&) { graph.model().set_opset(17); }).provides(provides_opset(17));
  const Pass modern = log.step("modern").needs(needs_opset(16));

  CHECK_NOTHROW((count | use).run(model));
  CHECK(log.text == "use");
  CHECK_THROWS_WITH((log.step("a") | use | count).run(model),
                    "pass 'use': needs a number, which no earlier pass provided; run count first");
  CHECK_THROWS_WITH((log.step("a") | fixpoint(log.step("b") | use)).run(model),
                    Catch::Contains("pass 'use': needs a number"));
  CHECK_THROWS_WITH((log.step("a") | modern).run(model), Catch::Contains("pass 'modern': needs opset 16"));
  CHECK(log.text == "use");
  CHECK_NOTHROW((raise | modern).run(model));
  CHECK_NOTHROW((log.step("a") | modern).run(model));
}

TEST_CASE("a promise that was not kept is found") {
  Model model = Builder(15).build();
  Log log;
  const Pass idle = log.step("idle").provides<Count>();
  const Pass use = log.step("use").needs<Count>();
  CHECK_THROWS_WITH((idle | use).run(model), Catch::Contains("pass 'use': needs a number"));
  CHECK(log.text == "idle");
}

TEST_CASE("a pipeline grows by |=") {
  Log log;
  Pass all = log.step("a");
  all |= log.step("b");
  all |= log.step("c") | log.step("d");
  CHECK(to_string(all) == "a | b | c | d");
  CHECK(all.steps().size() == 4);
}
