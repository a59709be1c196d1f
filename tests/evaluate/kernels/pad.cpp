#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Pad fills with a constant from where the opset has it") {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 2});
  const Tensor y = Tensor::of<float>({2, 3}, {9, 9, 9, 9, 1, 2});
  CHECK(same(run(2, "Pad", {x}, {{"pads", Ints{1, 1, 0, 0}}, {"value", 9.0}}), y));
  CHECK(same(run(13, "Pad", {x, ints({1, 1, 0, 0}), Tensor::scalar(9.0F)}), y));
  CHECK(same(run(18, "Pad", {x, ints({1, 0}), Tensor(), ints({-1})}), Tensor::of<float>({1, 3}, {0, 1, 2})));
  CHECK(failure_of(13, "Pad", {x, ints({1, 1})}).find("pads") != std::string::npos);
}

TEST_CASE("Pad crops where its pads are negative") {
  CHECK(same(run(13, "Pad", {floats({1, 2, 3, 4}), ints({-1, 1})}), floats({2, 3, 4, 0})));
  CHECK(same(run(13, "Pad", {floats({1, 2, 3, 4}), ints({1, -2}), Tensor(), Tensor()}, {{"mode", "edge"}}),
             floats({1, 1, 2})));
}

TEST_CASE("Pad repeats the edge, mirrors at it, or wraps around") {
  const Tensor x = floats({1, 2, 3});
  CHECK(same(run(19, "Pad", {x, ints({2, 1})}, {{"mode", "edge"}}), floats({1, 1, 1, 2, 3, 3})));
  CHECK(same(run(19, "Pad", {x, ints({2, 1})}, {{"mode", "reflect"}}), floats({3, 2, 1, 2, 3, 2})));
  CHECK(same(run(19, "Pad", {x, ints({2, 1})}, {{"mode", "wrap"}}), floats({2, 3, 1, 2, 3, 1})));
  const Tensor square = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  CHECK(same(run(13, "Pad", {square, ints({0, 1, 1, 0})}, {{"mode", "reflect"}}),
             Tensor::of<float>({3, 3}, {2, 1, 2, 4, 3, 4, 2, 1, 2})));
}

TEST_CASE("CenterCropPad crops and pads around the middle") {
  const Tensor x = counting({4}, 1);
  CHECK(same(run(18, "CenterCropPad", {x, ints({2})}), floats({2, 3})));
  CHECK(same(run(18, "CenterCropPad", {x, ints({1})}), floats({2})));
  CHECK(same(run(18, "CenterCropPad", {x, ints({7})}), floats({0, 1, 2, 3, 4, 0, 0})));
  CHECK(same(run(18, "CenterCropPad", {counting({2, 3}), ints({1, 4})}), Tensor::of<float>({1, 4}, {0, 1, 2, 0})));
  CHECK(same(run(18, "CenterCropPad", {counting({2, 3}), ints({1})}, {{"axes", Ints{-1}}}),
             Tensor::of<float>({2, 1}, {1, 4})));
  CHECK(failure_of(18, "CenterCropPad", {x, ints({-1})}) != "");
  CHECK(failure_of(18, "CenterCropPad", {x, ints({1, 1})}) != "");
}
