#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Trilu keeps one side of a diagonal") {
  const Tensor x = counting({2, 3}, 1);
  CHECK(same(run(14, "Trilu", {x}), Tensor::of<float>({2, 3}, {1, 2, 3, 0, 5, 6})));
  CHECK(same(run(14, "Trilu", {x}, {{"upper", 0}}), Tensor::of<float>({2, 3}, {1, 0, 0, 4, 5, 0})));
  const auto at = [&](std::int64_t k, int upper) {
    return run(14, "Trilu", {x, Tensor::scalar(k)}, {{"upper", upper}});
  };
  CHECK(same(at(1, 1), Tensor::of<float>({2, 3}, {0, 2, 3, 0, 0, 6})));
  CHECK(same(at(-1, 0), Tensor::of<float>({2, 3}, {0, 0, 0, 4, 0, 0})));
  const auto far = std::numeric_limits<std::int64_t>::max();
  CHECK(same(at(far, 1), Tensor::of<float>({2, 3}, {0, 0, 0, 0, 0, 0})));
  CHECK(same(at(far, 0), x));
  CHECK(same(at(-far, 1), x));
  CHECK(same(at(-far, 0), Tensor::of<float>({2, 3}, {0, 0, 0, 0, 0, 0})));
  CHECK(run(14, "Trilu", {counting({2, 0, 3})}).dims() == Dims{2, 0, 3});
}

TEST_CASE("EyeLike has ones on one diagonal") {
  const Tensor x = counting({2, 3});
  CHECK(same(run(9, "EyeLike", {x}), Tensor::of<float>({2, 3}, {1, 0, 0, 0, 1, 0})));
  CHECK(same(run(9, "EyeLike", {x}, {{"k", 2}, {"dtype", static_cast<int>(DType::i64)}}),
             Tensor::of<std::int64_t>({2, 3}, {0, 0, 1, 0, 0, 0})));
  CHECK(same(run(9, "EyeLike", {x}, {{"k", -1}}), Tensor::of<float>({2, 3}, {0, 0, 0, 1, 0, 0})));
  CHECK(failure_of(9, "EyeLike", {floats({1})}) != "");
}

TEST_CASE("Det of each matrix") {
  CHECK(same(run(11, "Det", {Tensor::of<float>({2, 2, 2}, {0, 2, 3, 4, 1, 2, 2, 4})}), floats({-6, 0})));
  CHECK(same(run(11, "Det", {Tensor::of<double>({3, 3}, {2, -1, 0, -1, 2, -1, 0, -1, 2})}), Tensor::scalar(4.0)));
  CHECK(failure_of(11, "Det", {counting({2, 3})}) != "");
}
