#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/onnx.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// sum = sum + x; collects each sum.
onnx::GraphProto summing_body() {
  onnx::GraphProto graph;
  graph.set_name("body");
  for (const char* input : {"sum", "x"}) graph.add_input()->set_name(input);
  for (const auto& [op, inputs, output] :
       {std::tuple("Add", std::vector<const char*>{"sum", "x"}, "next"),
        std::tuple("Identity", std::vector<const char*>{"next"}, "seen")}) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    for (const char* input : inputs) node.add_input(input);
    node.add_output(output);
    graph.add_output()->set_name(output);
  }
  return graph;
}

std::vector<Tensor> scan(int opset, const std::vector<Tensor>& inputs, Attributes more = {}) {
  more.emplace_back("body", summing_body());
  more.emplace_back("num_scan_inputs", 1);
  return run_op(opset, "Scan", inputs, more, 2);
}

}  // namespace

TEST_CASE("Scan carries a state along an axis and collects") {
  const Tensor x = Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto rows = scan(16, {floats({0, 0}), x});
  CHECK(same(rows[0], floats({9, 12})));
  CHECK(same(rows[1], Tensor::of<float>({3, 2}, {1, 2, 4, 6, 9, 12})));
  const auto columns = scan(16, {floats({0, 0, 0}), x}, {{"scan_input_axes", Ints{1}}, {"scan_output_axes", Ints{-1}}});
  CHECK(same(columns[1], Tensor::of<float>({3, 2}, {1, 3, 3, 7, 5, 11})));
}

TEST_CASE("Scan from the end, and collecting from the end") {
  const Tensor x = Tensor::of<float>({3, 1}, {1, 2, 3});
  CHECK(same(scan(9, {floats({0}), x}, {{"scan_input_directions", Ints{1}}})[1], Tensor::of<float>({3, 1}, {3, 5, 6})));
  CHECK(same(scan(9, {floats({0}), x}, {{"scan_output_directions", Ints{1}}})[1],
             Tensor::of<float>({3, 1}, {6, 3, 1})));
}

TEST_CASE("Scan of nothing keeps the state") {
  const auto outputs = scan(9, {floats({7}), Tensor(DType::f32, {0, 1})});
  CHECK(same(outputs[0], floats({7})));
  CHECK(outputs[1].size() == 0);
}

TEST_CASE("Scan of opset 8 takes each batch as far as its sequence goes") {
  const Tensor states = Tensor::of<float>({2, 1}, {0, 10});
  const Tensor x = Tensor::of<float>({2, 2, 1}, {1, 2, 3, 4});
  const auto all = scan(8, {Tensor(), states, x});
  CHECK(same(all[0], Tensor::of<float>({2, 1}, {3, 17})));
  CHECK(same(all[1], Tensor::of<float>({2, 2, 1}, {1, 3, 13, 17})));
  const auto some = scan(8, {ints({2, 1}), states, x}, {{"directions", Ints{1}}});
  CHECK(same(some[0], Tensor::of<float>({2, 1}, {3, 13})));
  CHECK(same(some[1], Tensor::of<float>({2, 2, 1}, {2, 3, 13, 0})));
  CHECK_THROWS_AS(scan(8, {ints({3, 1}), states, x}), Error);
  CHECK_THROWS_AS(scan(8, {Tensor(), Tensor::scalar(0.0F), x}), Error);
}

TEST_CASE("Scan checks its attributes") {
  const Tensor x = Tensor::of<float>({3, 1}, {1, 2, 3});
  CHECK_THROWS_AS(scan(9, {floats({0}), x}, {{"scan_input_axes", Ints{0, 0}}}), Error);
  CHECK_THROWS_AS(scan(9, {floats({0}), x}, {{"scan_input_axes", Ints{2}}}), Error);
}

TEST_CASE("Scan scans as many inputs as it has") {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{3}, std::numeric_limits<std::int64_t>::min()}) {
    CHECK(failure_of(9, "Scan", {floats({1}), floats({1})}, {{"num_scan_inputs", count}}).find("num_scan_inputs") !=
          std::string::npos);
  }
}
