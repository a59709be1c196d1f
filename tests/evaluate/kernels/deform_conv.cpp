#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor x = counting({1, 1, 3, 3});
const Tensor w = Tensor::of<float>({1, 1, 1, 2}, {1, 10});

/// One offset for all outputs at each position of the kernel.
Tensor offsets(std::initializer_list<float> down_and_right) {
  return run(13, "Expand", {Tensor::of<float>({1, 4, 1, 1}, down_and_right), ints({1, 4, 3, 2})});
}

}  // namespace

TEST_CASE("DeformConv without offsets is Conv") {
  CHECK(same(run(19, "DeformConv", {x, w, offsets({0, 0, 0, 0})}), run(11, "Conv", {x, w})));
}

TEST_CASE("DeformConv reads where the offsets say, zeros beyond the border") {
  const Tensor y = run(19, "DeformConv", {x, w, offsets({1, 0, 0, 0.5F})});
  CHECK(same(y, Tensor::of<float>({1, 1, 3, 2}, {3 + 15, 4 + 10, 6 + 45, 7 + 25, 0 + 75, 0 + 40})));
}

TEST_CASE("DeformConv with a mask and a bias") {
  const Tensor mask = run(13, "Expand", {Tensor::of<float>({1, 2, 1, 1}, {0, 0.5F}), ints({1, 2, 3, 2})});
  const Tensor y = run(19, "DeformConv", {x, w, offsets({0, 0, 0, 0}), floats({100}), mask});
  CHECK(same(y, Tensor::of<float>({1, 1, 3, 2}, {105, 110, 120, 125, 135, 140})));
  CHECK(failure_of(19, "DeformConv", {x, w, mask}) != "");
  CHECK(failure_of(19, "DeformConv", {x, w, offsets({0, 0, 0, 0}), floats({1, 2})}) != "");
  CHECK(failure_of(19, "DeformConv", {x, w, offsets({0, 0, 0, 0})}, {{"offset_group", 2}}) != "");
}
