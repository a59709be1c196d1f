#include <graft/graph/operator_facts.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/graph/schema.hpp>

using namespace graft;

TEST_CASE("the table of facts is sorted and names operators of ONNX") {
  const auto before = [](const OperatorFacts& a, const OperatorFacts& b) { return a.op < b.op; };
  CHECK(std::is_sorted(std::begin(operator_facts), std::end(operator_facts), before));
  for (const OperatorFacts& facts : operator_facts) {
    INFO(facts.op);
    CHECK_FALSE(schema::versions("", facts.op).empty());
    CHECK(facts_of(facts.op).elements == facts.elements);
    const bool says_something =
        facts.elements != Elements::computed || facts.first_shape != facts.end_shape || facts.weight_axis >= 0;
    CHECK(says_something);
  }
}

TEST_CASE("what takes its elements has the dtype of its first input, and shapes have one of their own") {
  for (const OperatorFacts& facts : operator_facts) {
    INFO(facts.op);
    std::size_t inputs = 0;
    for (const schema::Operator& op : schema::versions("", facts.op)) {
      if (facts.elements != Elements::computed) CHECK(op.outputs()[0].type == op.inputs()[0].type);
      if (facts.weight_axis >= 0) CHECK(op.inputs()[1].type == op.inputs()[0].type);
      inputs = std::max(inputs, op.inputs().size());
      if (facts.first_shape == 0 || op.since_version == 1) continue;  // Tile-1 has other inputs
      for (std::size_t i = facts.first_shape; i < std::min<std::size_t>(facts.end_shape, op.inputs().size()); ++i)
        if (facts.op != "Resize" || i != 1)
          CHECK(op.inputs()[i].type != op.inputs()[0].type);  // roi may be of its type
    }
    CHECK(facts.end_shape <= inputs);
  }
}

TEST_CASE("facts of a node") {
  Builder b(17);
  b.import("mine", 1);
  Value& x = b.input("x", DType::f32, {2, 3});
  const Node& reshape = *b.op("Flatten", {&x}).producer();
  CHECK(reshapes_elements(reshape));
  CHECK(moves_elements(reshape));
  const Node& pool = *b.op("GlobalMaxPool", {&x}).producer();
  CHECK_FALSE(moves_elements(pool));
  CHECK(takes_elements(pool));
  const Node& same = *b.op("Identity", {&x}).producer();
  CHECK(moves_elements(same));
  CHECK_FALSE(reshapes_elements(same));
  CHECK_FALSE(takes_elements(*b.op("Relu", {&x}).producer()));
  CHECK_FALSE(takes_elements(*b.op("mine::Flatten", {&x}).producer()));
  CHECK(facts_of("Slice").takes_shape(4));
  CHECK_FALSE(facts_of("Slice").takes_shape(0));
  CHECK_FALSE(facts_of("Relu").takes_shape(0));
}
