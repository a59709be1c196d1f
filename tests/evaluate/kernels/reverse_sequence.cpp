#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("ReverseSequence turns round the first steps of each batch") {
  const Tensor x = counting({3, 2});
  CHECK(same(run(10, "ReverseSequence", {x, ints({3, 2})}), Tensor::of<float>({3, 2}, {4, 3, 2, 1, 0, 5})));
  CHECK(same(run(10, "ReverseSequence", {x, ints({2, 1, 0})}, {{"time_axis", 1}, {"batch_axis", 0}}),
             Tensor::of<float>({3, 2}, {1, 0, 2, 3, 4, 5})));
  CHECK(failure_of(10, "ReverseSequence", {x, ints({4, 1})}) != "");
  CHECK(failure_of(10, "ReverseSequence", {x, ints({1})}) != "");
  CHECK(failure_of(10, "ReverseSequence", {x, ints({1, 1})}, {{"time_axis", 1}}) != "");
}
