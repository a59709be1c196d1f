#include "topologies/topologies.hpp"

#include <map>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/testing.hpp>

#include "topologies/exported_transformer.hpp"

namespace {

using Counts = std::map<std::string, int, std::less<>>;

Counts counts(const graft::Graph& graph) {
  Counts result;
  for (const graft::Node& node : graph.nodes()) ++result[std::string(node.op_type())];
  return result;
}

/// BatchNormalization whose input does not come from a Conv.
int lone_normalizations(const graft::Graph& graph) {
  int result = 0;
  for (const graft::Node& node : graph.nodes())
    result += node.is("BatchNormalization") && !node.input(0)->producer()->is("Conv");
  return result;
}

}  // namespace

TEST_CASE("the topologies are whole, and have the operators of their originals") {
  const std::map<std::string_view, Counts> expected{
      {"resnet50v2", {{"Conv", 53}, {"BatchNormalization", 50}, {"Relu", 50}, {"Add", 16}, {"MaxPool", 1},
                      {"GlobalAveragePool", 1}, {"Flatten", 1}, {"Gemm", 1}}},
      {"mobilenetv2", {{"Conv", 52}, {"Clip", 35}, {"Add", 10}, {"GlobalAveragePool", 1}, {"Flatten", 1},
                       {"Gemm", 1}}},
      {"efficientnet_lite4", {{"Conv", 91}, {"Clip", 61}, {"Add", 23}, {"GlobalAveragePool", 1}, {"Flatten", 1},
                              {"Gemm", 1}}},
      {"mobilenetv3_large", {{"Conv", 63}, {"HardSwish", 21}, {"Relu", 19}, {"Add", 10}, {"GlobalAveragePool", 10},
                             {"HardSigmoid", 8}, {"Mul", 8}, {"Flatten", 1}, {"Gemm", 1}}},
      {"silu_detector", {{"Conv", 57}, {"Sigmoid", 57}, {"Mul", 57}, {"Add", 7}, {"Concat", 15}, {"MaxPool", 3},
                         {"Resize", 2}, {"GlobalAveragePool", 1}, {"Flatten", 1}, {"Gemm", 1}}},
      {"shuffle_detector", {{"Conv", 70}, {"Relu", 48}, {"Concat", 22}, {"Reshape", 26}, {"Transpose", 13},
                            {"Gather", 26}, {"MaxPool", 1}, {"AveragePool", 1}, {"Resize", 1}, {"Add", 1},
                            {"Sigmoid", 1}, {"Softmax", 1}}},
      {"bert", {{"MatMul", 32}, {"Add", 37}, {"Gather", 2}, {"LayerNormalization", 9}, {"Reshape", 16},
                {"Transpose", 16}, {"Div", 8}, {"Softmax", 4}, {"Erf", 4}, {"Mul", 8}, {"Gemm", 2}, {"Tanh", 1}}},
  };
  for (const Topology& topology : topologies()) {
    INFO(topology.name);
    graft::Model model = topology.build(64);
    for (const graft::Problem& problem : graft::verify(model)) FAIL_CHECK(graft::to_string(problem));
    CHECK(counts(model.graph()) == expected.at(topology.name));
    CHECK(lone_normalizations(model.graph()) == (topology.name == "resnet50v2" ? 17 : 0));
    REQUIRE(model.graph().outputs().size() == 1);
    const graft::Shape shape = model.graph().outputs()[0]->shape();
    REQUIRE(shape.rank() > 1);
    CHECK(!shape[0].known());  // of any batch
  }
}

TEST_CASE("the topologies are done after one run of simplify") {
  for (const Topology& topology : topologies()) {
    INFO(topology.name);
    graft::Model model = topology.build(64);
    CHECK(graft::simplify().run(model).converged());
    CHECK(graft::simplify().run(model).changes == 0);
  }
}

TEST_CASE("a traced transformer computes no shapes once it is simplified, but where positions end") {
  for (const int opset : {14, 17, 20}) {
    INFO(opset);
    graft::Model before = exported_transformer(opset, 2);
    graft::Model after = exported_transformer(opset, 2);
    for (const graft::Problem& problem : graft::verify(before)) FAIL_CHECK(graft::to_string(problem));
    CHECK(graft::simplify().run(after).converged());
    const Counts left = counts(after.graph());
    CHECK(left.at("Reshape") == 2 * 4);
    CHECK(left.at("Shape") == 1);
    CHECK(left.at("Gather") == 3);  // the extent, words and positions
    CHECK(left.count("Concat") == 0);
    CHECK(left.count("LayerNormalization") == (opset < 17 ? 0 : 1));
    CHECK(left.count("Gelu") == (opset < 20 ? 0 : 1));
    CHECK(graft::equivalent(before.graph(), after.graph(), {.inputs = 3, .atol = 1e-4}));
    CHECK(graft::simplify().run(after).changes == 0);
  }
}
