#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/graph/build.hpp>
#include "evaluate/backward/gradient_faults.hpp"
#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("the gradients of powers are slopes") {
  for (const char* model : {
           "x: f32[20]; y = Pow(x, i64[] 2)",
           "x: f32[20]; y = Pow(x, i64[] 3)",
           "x = f32[4,3] random(0.3, 2); e: f32[3]; y = Pow(x, e)",
           "x = f32[3] random(0.3, 2); y = Pow(x, f32[2,3] {0, 1, 0.5, -1, 2, 3})",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}

TEST_CASE("a power of 0 has finite gradients at 0") {
  Builder builder(17);
  const Node& pow = *builder.op("Pow", {&builder.input("x", DType::f32), &builder.input("e", DType::f32)}).producer();
  const std::vector<Tensor> inputs{floats({0, 0, 0}), floats({0, 1, 2})}, g{floats({1, 1, 1})};
  const std::vector<Tensor> gradients = backward(pow, inputs, {}, g, {true, true});
  CHECK(same(gradients[0], floats({0, 1, 0})));
  CHECK(same(gradients[1], floats({0, 0, 0})));
}
