#include <graft/testing/random_graph.hpp>

#include <map>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/verify.hpp>
#include <graft/testing/equivalent.hpp>

using namespace graft;

TEST_CASE("a seed makes the same random graph each time, another seed another one") {
  CHECK(random_graph(3).proto().SerializeAsString() == random_graph(3).proto().SerializeAsString());
  CHECK(random_graph(3).proto().SerializeAsString() != random_graph(4).proto().SerializeAsString());
}

TEST_CASE("random graphs are valid, can be evaluated, and use many operators") {
  std::map<std::string, int> operators;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Model model = random_graph(seed, 9);
    INFO(seed);
    CHECK(model.graph().nodes().size() >= 9);
    CHECK(model.graph().output_count() > 0);
    CHECK(verify(model).empty());
    CHECK(equivalent(model.graph(), model.graph(), {.inputs = 4}));
    for (const Node& node : model.graph().nodes()) ++operators[std::string(node.op_type())];
  }
  CHECK(operators.size() > 40);
}
