#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("CumSum adds along an axis, from either end, with or without the element itself") {
  const Tensor x = floats({1, 2, 3});
  const Tensor axis = Tensor::scalar<std::int32_t>(0);
  CHECK(same(run(14, "CumSum", {x, axis}), floats({1, 3, 6})));
  CHECK(same(run(14, "CumSum", {x, axis}, {{"exclusive", 1}}), floats({0, 1, 3})));
  CHECK(same(run(14, "CumSum", {x, axis}, {{"reverse", 1}}), floats({6, 5, 3})));
  CHECK(same(run(14, "CumSum", {x, axis}, {{"reverse", 1}, {"exclusive", 1}}), floats({5, 3, 0})));
  CHECK(same(run(14, "CumSum", {counting({2, 2}), axis}), Tensor::of<float>({2, 2}, {0, 1, 2, 4})));
  CHECK(same(run(14, "CumSum", {counting({2, 2}), Tensor::scalar<std::int64_t>(-1)}),
             Tensor::of<float>({2, 2}, {0, 1, 2, 5})));
  CHECK(run(14, "CumSum", {floats({}), axis}, {{"exclusive", 1}}).size() == 0);
  CHECK(failure_of(14, "CumSum", {x, Tensor::scalar<std::int32_t>(1)}) != "");
}

TEST_CASE("CumProd multiplies along an axis, from either end, with or without the element itself") {
  const Tensor x = floats({1, 2, 3}), axis = Tensor::scalar<std::int32_t>(0);
  CHECK(same(run(26, "CumProd", {x, axis}), floats({1, 2, 6})));
  CHECK(same(run(26, "CumProd", {x, axis}, {{"exclusive", 1}}), floats({1, 1, 2})));
  CHECK(same(run(26, "CumProd", {x, axis}, {{"reverse", 1}}), floats({6, 6, 3})));
  CHECK(same(run(26, "CumProd", {x, axis}, {{"reverse", 1}, {"exclusive", 1}}), floats({6, 3, 1})));
  CHECK(same(run(26, "CumProd", {ints({2, -3, 5}), axis}, {{"exclusive", 1}}), ints({1, 2, -6})));
}
