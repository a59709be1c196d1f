#include <graft/testing/random_graph.hpp>

#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/verify.hpp>
#include <graft/pattern.hpp>
#include <graft/rewrite/explain.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/testing/equivalent.hpp>

using namespace graft;

TEST_CASE("a seed makes the same random graph each time, another seed another one") {
  CHECK(random_graph(3).proto().SerializeAsString() == random_graph(3).proto().SerializeAsString());
  CHECK(random_graph(3).proto().SerializeAsString() != random_graph(4).proto().SerializeAsString());
}

TEST_CASE("random graphs are valid, can be evaluated, and have all of the operators") {
  std::map<std::string, int> operators;
  std::set<int> opsets;
  std::set<DType> dtypes;
  std::size_t captured = 0, functions = 0, overridable = 0, symbolic = 0, empty = 0, evaluated = 0, finite = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Model model = random_graph(seed, 12);
    INFO(seed);
    CHECK(model.graph().output_count() > 0);
    CHECK(verify(model).empty());
    infer_shapes(model.graph());  // stable_only needs to know what is empty
    if (model.functions().empty()) {
      CHECK(equivalent(model.graph(), model.graph(), {.inputs = 4}));
      finite += static_cast<bool>(equivalent(model.graph(), model.graph(), {.inputs = 4, .stable_only = true}));
      ++evaluated;
    }
    opsets.insert(model.opset());
    functions += model.functions().size();
    for (const Value* const input : model.graph().inputs()) {
      dtypes.insert(input->dtype());
      overridable += input->initializer() != nullptr;
      for (std::size_t axis = 0; axis < input->shape().rank(); ++axis) {
        symbolic += input->shape()[axis].symbolic();
        empty += input->shape()[axis] == Dim(0);
      }
    }
    for (const Graph* const scope : model.scopes()) {
      for (const Node& node : scope->nodes()) {
        ++operators[to_string(OpName{node.domain(), node.op_type()})];
        for (const Value* const input : node.inputs()) captured += input != nullptr && &input->graph() != scope;
      }
    }
  }
  for (const std::string& op : random_operators()) {
    INFO(op);
    CHECK(operators.count(op) == 1);
  }
  CHECK(finite > evaluated * 19 / 20);  // infinities of others show in their bodies
  CHECK(opsets.size() == 17);
  CHECK(dtypes.size() >= 9);
  for (const std::size_t count : {captured, functions, overridable, symbolic, empty}) CHECK(count > 5);
}

TEST_CASE("the left side of a rule is in most graphs") {
  constexpr auto x = val<"x">;
  static constexpr auto three = rule<"three">(op<"Relu">(op<"Neg">(op<"Abs">(x))), op<"Identity">(x));
  Vocabulary vocabulary;
  vocabulary.patterns = {three.view()};
  std::size_t with = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Model model = random_graph(seed, 10, vocabulary);
    with += !explain(three, model.graph()).empty();
  }
  CHECK(with > 35);
}
