#include <graft/rewrite/try_run.hpp>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>

#include "rewrite/words.hpp"

using namespace words;

namespace {

Model two_relus() {
  Small m;
  return m.finish(m.op("Relu", {&m.op("Relu", {&m.in})}));
}

template <class E>
Pass throwing(E thrown) {
  return pass("throws", [thrown](Graph&, Context&) { throw thrown; });
}

constexpr auto sum_of_constants = rule<"sum-of-constants">(op<"Add">(w, b), folded(op<"Add">(w, b)));

Model sum() {
  Small m;
  Value& first = m.build.constant(floats({2}), "first");
  return m.finish(m.op("Relu", {&m.op("Add", {&first, &m.build.constant(floats({2}), "second")})}));
}

}  // namespace

TEST_CASE("a run returns its report, or the error that a pass throws") {
  STATIC_REQUIRE(noexcept(try_run(std::declval<const Pass&>(), std::declval<Model&>())));
  Model model = two_relus();
  const Result<Report> report = try_run(fixpoint(relu_relu), model);
  REQUIRE(report);
  CHECK(report->changes == 1);
  CHECK(ops(model.graph()) == "Relu");

  Context context;
  const Result<Report> error = try_run(throwing(Error("no").node("n")), model, context);
  REQUIRE_FALSE(error);
  CHECK(error.error().pass() == "throws");
  CHECK(error.error().node() == "n");
}

TEST_CASE("other exceptions become errors with a code") {
  Model model = two_relus();
  const Result<Report> logic = try_run(throwing(std::logic_error("mine")), model);
  REQUIRE_FALSE(logic);
  CHECK(logic.error().message() == "mine");
  CHECK(logic.error().code() == "foreign_exception");
  const Result<Report> unknown = try_run(throwing(3), model);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code() == "foreign_exception");
  const Result<Report> memory = try_run(throwing(std::bad_alloc()), model);
  REQUIRE_FALSE(memory);
  CHECK(memory.error().code() == "out_of_memory");
}

TEST_CASE("an exception of a callback passes through a run as it is, and the model stays valid") {
  Model model = two_relus();
  const std::string before = to_string(model.graph());
  const auto throws = [](const auto&...) -> bool { throw std::domain_error("mine"); };
  Context context;
  SECTION("progress") { context.progress = throws; }
  SECTION("cancelled") { context.cancelled = throws; }
  CHECK_THROWS_AS(fixpoint(relu_relu).run(model, context), std::domain_error);
  CHECK(to_string(model.graph()) == before);
  CHECK(verify(model).empty());

  const Result<Report> error = try_run(fixpoint(relu_relu), model, context);
  REQUIRE_FALSE(error);
  CHECK(error.error().message() == "mine");
  CHECK(fixpoint(relu_relu).run(model).changes == 1);
}

TEST_CASE("a rule whose executor throws is undone") {
  Model model = sum();
  const std::string before = to_string(model.graph());
  Context context;
  context.executor = [](const Node&, std::span<const Tensor>) -> std::optional<std::vector<Tensor>> {
    throw std::domain_error("mine");
  };
  CHECK_THROWS_AS(fixpoint(sum_of_constants).run(model, context), std::domain_error);
  CHECK(to_string(model.graph()) == before);
  CHECK(verify(model).empty());
}

TEST_CASE("an exception of a custom operator's shape function passes through a run") {
  Model model = two_relus();
  const std::string before = to_string(model.graph());
  Context context;
  context.operators.add("Relu", {.shape = [](InferContext&) -> Verdict { throw std::domain_error("mine"); }});
  const Pass typed = on_typed_graph("typed", fixpoint(relu_relu));
  CHECK_THROWS_AS(typed.run(model, context), std::domain_error);
  CHECK(to_string(model.graph()) == before);
}

TEST_CASE("rules that were applied before an error stay applied until the model is reverted") {
  Model model = two_relus();
  const Pass fails = fixpoint(relu_relu) | throwing(Error("no"));
  CHECK_FALSE(try_run(fails, model));
  CHECK(ops(model.graph()) == "Relu");
  CHECK(verify(model).empty());
  model.revert();
  CHECK(ops(model.graph()) == "Relu Relu");
}
