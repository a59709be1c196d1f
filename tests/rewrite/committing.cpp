#include <graft/rewrite/committing.hpp>

#include <vector>

#include <catch2/catch.hpp>

#include <graft/rewrite/pass.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("rules are committed every few steps, until nothing is left to do") {
  Model model = chain_of("Relu", 12);
  std::vector<int> committed;
  const Pass look = pass("look", [&](Graph& graph, Context&) {
    committed.push_back(graph.model().proto().graph().node_size());
    return Report();
  });
  const Report report = committing(look | fixpoint(relu_relu)).run(model);
  CHECK(committed == std::vector<int>{12, 8, 4});
  CHECK(model.proto().graph().node_size() == 1);
  CHECK(report.converged());
  CHECK(report.changes == 11);
}

TEST_CASE("a view is left to its owner to commit") {
  Model model = chain_of("Relu", 12);
  onnx::ModelProto proto = model.commit();
  Model view = Model::view(proto);
  CHECK(committing(fixpoint(relu_relu)).run(view).changes == 11);
  CHECK(proto.graph().node_size() == 12);
  CHECK(view.commit().graph().node_size() == 1);
}

TEST_CASE("what is committed every few steps keeps to the budgets") {
  Model model = chain_of("Neg", 1);
  Context context;
  context.budget.steps = 10;
  const Report report = committing(fixpoint(grow)).run(model, context);
  CHECK(report.outcome == Outcome::budget);
  CHECK(report.changes == 10);
  CHECK(context.budget.steps == 10);
  context.budget = {{}, -1};
  CHECK(committing(fixpoint(grow)).run(model, context).outcome == Outcome::budget);

  Model other = chain_of("Neg", 1);
  CHECK(committing(fixpoint(grow)).run(other).changes == 260);
}
