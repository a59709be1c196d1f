#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("windows of cosines, periodic and symmetric") {
  const Tensor four = Tensor::scalar<std::int64_t>(4);
  const Tensor five = Tensor::scalar<std::int64_t>(5);
  CHECK(same(run(17, "HannWindow", {four}), floats({0, 0.5F, 1, 0.5F})));
  CHECK(same(run(17, "HannWindow", {five}, {{"periodic", 0}}), floats({0, 0.5F, 1, 0.5F, 0})));
  CHECK(same(run(17, "HammingWindow", {four}), floats({4 / 46.0F, 25 / 46.0F, 1, 25 / 46.0F})));
  CHECK(same(run(17, "BlackmanWindow", {four}), floats({0, 0.34F, 1, 0.34F})));
  CHECK(run(17, "HannWindow", {four}, {{"output_datatype", static_cast<int>(DType::f64)}}).dtype() == DType::f64);
  CHECK(failure_of(17, "HannWindow", {Tensor::scalar<std::int64_t>(-1)}) != "");
}

TEST_CASE("MelWeightMatrix has a triangle in each column") {
  const auto number = [](std::int64_t n) { return Tensor::scalar(n); };
  const Tensor y = run(17, "MelWeightMatrix",
                       {number(2), number(16), number(8192), Tensor::scalar(0.0F), Tensor::scalar(4096.0F)});
  // The edges fall on the bins 0, 0, 2 and 4.
  Tensor expected(DType::f32, {9, 2});
  const auto w = expected.mutable_data<float>();
  w[0] = 1;
  w[2] = 0.5F;
  w[3] = 0.5F;
  w[5] = 1;
  w[7] = 0.5F;
  CHECK(same(y, expected));
  CHECK(failure_of(17, "MelWeightMatrix",
                   {number(2), number(16), number(100), Tensor::scalar(0.0F), Tensor::scalar(4096.0F)}) != "");
}
