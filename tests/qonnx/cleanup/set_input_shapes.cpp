#include <graft/qonnx/cleanup/set_input_shapes.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "surgery/sound.hpp"

using namespace graft;

TEST_CASE("shapes follow from those that inputs are given", "[qonnx]") {
  Model model = graph("x: f32[N,2,H,W]; w = f32[3,2,3,3] random; h = Conv(x, w); y = Relu(h)");
  qonnx::set_input_shapes({{"x", {1, 2, 8, 9}}}).run(model);
  CHECK(to_string(model.graph().inputs()[0]->shape()) == "[1,2,8,9]");
  CHECK(to_string(model.graph().find("h")->shape()) == "[1,3,6,7]");
  CHECK(to_string(model.graph().output(0)->shape()) == "[1,3,6,7]");
  CHECK(unsound(model) == "");
  CHECK(qonnx::set_input_shapes({{"x", {1, 2, 8, 9}}}).run(model).changes == 0);
}

TEST_CASE("shapes that a node does not take are refused", "[qonnx]") {
  const Model model = graph("x: f32[N,K]; w = f32[3,2] random; y = MatMul(x, w)");
  CHECK_THAT(refusal(Model(model.proto()), qonnx::set_input_shapes({{"x", {1, 5}}})),
             Catch::Contains("does not take"));
  CHECK_THAT(refusal(Model(model.proto()), qonnx::set_input_shapes({{"z", {1}}})), Catch::Contains("not an input"));
}

TEST_CASE("shapes that contradict the declared one are errors", "[qonnx]") {
  const Model model = graph("x: f32[N,2]; y = Relu(x)");
  const auto told = [&](const Dims& dims) {
    return refusal(Model(model.proto()), qonnx::set_input_shapes({{"x", dims}}));
  };
  CHECK_THAT(told({1, 2, 1}), Catch::Contains("2 axes"));
  CHECK_THAT(told({1, 3}), Catch::Contains("an extent of 2 along axis 1"));
  CHECK_THAT(told({-1, 2}), Catch::Contains("negative"));
}
