#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("LpPool gives the norm of each window") {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {3, -4, 5, 12});
  CHECK(same(run(22, "LpPool", {x}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}),
             Tensor::of<float>({1, 1, 2}, {5, 13})));
  CHECK(same(run(22, "LpPool", {x}, {{"kernel_shape", Ints{2}}, {"p", 1}, {"pads", Ints{1, 0}}}),
             Tensor::of<float>({1, 1, 4}, {3, 7, 9, 17})));
  CHECK(same(run(2, "GlobalLpPool", {Tensor::of<float>({1, 2, 2}, {3, -4, 5, 12})}),
             Tensor::of<float>({1, 2, 1}, {5, 13})));
}

TEST_CASE("MaxUnpool puts back what MaxPool took") {
  const Tensor x = Tensor::of<float>({1, 1, 4}, {1, 7, 9, 2});
  const Attributes halves{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}};
  const auto pooled = run_op(12, "MaxPool", {x}, halves, 2);
  CHECK(same(run(11, "MaxUnpool", pooled, halves), Tensor::of<float>({1, 1, 4}, {0, 7, 9, 0})));
  CHECK(same(run(11, "MaxUnpool", {pooled[0], pooled[1], ints({1, 1, 5})}, halves),
             Tensor::of<float>({1, 1, 5}, {0, 7, 9, 0, 0})));
  CHECK(failure_of(11, "MaxUnpool", {pooled[0], Tensor::of<std::int64_t>({1, 1, 2}, {1, 4})}, halves) != "");
}
