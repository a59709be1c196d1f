#include <cmath>

#include <catch2/catch.hpp>

#include <graft/qonnx/datatype/tensor_range.hpp>

using graft::qonnx::TensorRange;

TEST_CASE("the range of a whole tensor holds that of each channel", "[qonnx]") {
  const TensorRange range{{-1, -3, 0}, {2, 1, 5}, 1, {0.5}, 0};
  CHECK(range.is_per_channel());
  CHECK(range.whole() == TensorRange{{-3}, {5}, 0, {0.5}, 0});
  CHECK_FALSE(range.whole().is_per_channel());
}

TEST_CASE("a range prints its channels", "[qonnx]") {
  CHECK(to_string(TensorRange::of(-0.5, 2)) == "[-0.5, 2]");
  CHECK(to_string(TensorRange{{-1, 0}, {2, INFINITY}, 1}) == "[-1, 2] [0, inf] along axis 1");
}

TEST_CASE("a range is bounded if all of its ends are known", "[qonnx]") {
  CHECK_FALSE(TensorRange().is_bounded());
  CHECK(TensorRange::of(0, 1).is_bounded());
  CHECK_FALSE(TensorRange{{0, 0}, {1, INFINITY}}.is_bounded());
}
