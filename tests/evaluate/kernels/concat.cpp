#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

TEST_CASE("Concat joins along an axis") {
  const Tensor a = counting({2, 1});
  const Tensor b = counting({2, 2}, 10);
  CHECK(same(run(13, "Concat", {a, b}, {{"axis", -1}}), Tensor::of<float>({2, 3}, {0, 10, 11, 1, 12, 13})));
  CHECK(same(run(13, "Concat", {b, b}, {{"axis", 0}}), Tensor::of<float>({4, 2}, {10, 11, 12, 13, 10, 11, 12, 13})));
  CHECK(same(run(13, "Concat", {floats({1}), Tensor(DType::f32, {0})}, {{"axis", 0}}), floats({1})));
}

TEST_CASE("Concat refuses inputs that differ beside the axis") {
  CHECK(failure_of(13, "Concat", {counting({2, 1}), counting({3, 1})}, {{"axis", 1}}) != "");
  CHECK(failure_of(13, "Concat", {counting({2, 1}), counting({2})}, {{"axis", 0}}) != "");
  CHECK(failure_of(13, "Concat", {floats({1}), ints({1})}, {{"axis", 0}}) != "");
}

TEST_CASE("Split takes its parts from an attribute, from an input, or evenly") {
  const Tensor x = counting({2, 3});
  const Tensor left = Tensor::of<float>({2, 1}, {0, 3});
  const Tensor right = Tensor::of<float>({2, 2}, {1, 2, 4, 5});
  const auto by_attribute = run_op(11, "Split", {x}, {{"axis", 1}, {"split", Ints{1, 2}}}, 2);
  CHECK((same(by_attribute[0], left) && same(by_attribute[1], right)));
  const auto by_input = run_op(13, "Split", {x, ints({1, 2})}, {{"axis", -1}}, 2);
  CHECK((same(by_input[0], left) && same(by_input[1], right)));
  const auto evenly = run_op(13, "Split", {x}, {}, 2);
  CHECK((same(evenly[0], counting({1, 3})) && same(evenly[1], counting({1, 3}, 3))));
  const auto rest = run_op(18, "Split", {counting({5})}, {{"num_outputs", 2}}, 2);
  CHECK((same(rest[0], counting({3})) && same(rest[1], counting({2}, 3))));
}

TEST_CASE("Split refuses parts that do not add up") {
  CHECK_THROWS(run_op(13, "Split", {counting({5}), ints({2, 2})}, {}, 2));
  CHECK_THROWS(run_op(13, "Split", {counting({5})}, {}, 2));
}
