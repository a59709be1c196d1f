#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor bools(std::vector<bool> values) { return Tensor::of({static_cast<std::int64_t>(values.size())}, values); }

const float undefined = std::numeric_limits<float>::quiet_NaN();
const float infinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("comparisons give bools, false for NaN") {
  const Tensor a = floats({1, 2, 3, undefined});
  const Tensor b = Tensor::scalar(2.0F);
  CHECK(same(run(13, "Less", {a, b}), bools({true, false, false, false})));
  CHECK(same(run(16, "LessOrEqual", {a, b}), bools({true, true, false, false})));
  CHECK(same(run(13, "Greater", {a, b}), bools({false, false, true, false})));
  CHECK(same(run(16, "GreaterOrEqual", {a, b}), bools({false, true, true, false})));
  CHECK(same(run(13, "Equal", {a, a}), bools({true, true, true, false})));
  CHECK(same(run(13, "Equal", {bools({true, false}), bools({true, true})}), bools({true, false})));
  CHECK(same(run(13, "Greater", {Tensor::of<std::uint8_t>({1}, {200}), Tensor::of<std::uint8_t>({1}, {100})}),
             bools({true})));
}

TEST_CASE("logical operators") {
  const Tensor a = bools({false, false, true, true});
  const Tensor b = bools({false, true, false, true});
  CHECK(same(run(7, "And", {a, b}), bools({false, false, false, true})));
  CHECK(same(run(7, "Or", {a, b}), bools({false, true, true, true})));
  CHECK(same(run(7, "Xor", {a, b}), bools({false, true, true, false})));
  CHECK(same(run(7, "Not", {a}), bools({true, true, false, false})));
  CHECK(failure_of(7, "And", {ints({1}), ints({1})}) != "");
}

TEST_CASE("IsNaN and IsInf") {
  const Tensor x = floats({0, undefined, infinity, -infinity});
  CHECK(same(run(13, "IsNaN", {x}), bools({false, true, false, false})));
  CHECK(same(run(10, "IsInf", {x}), bools({false, false, true, true})));
  CHECK(same(run(10, "IsInf", {x}, {{"detect_negative", 0}}), bools({false, false, true, false})));
}

TEST_CASE("Where broadcasts its three inputs") {
  const Tensor condition = Tensor::of<bool>({2, 1}, std::vector<bool>{true, false});
  CHECK(same(run(16, "Where", {condition, floats({1, 2}), Tensor::scalar(9.0F)}),
             Tensor::of<float>({2, 2}, {1, 2, 9, 9})));
  CHECK(same(run(16, "Where", {bools({true, false}), ints({1, 2}), ints({3, 4})}), ints({1, 4})));
  CHECK(failure_of(16, "Where", {bools({true}), ints({1}), floats({1})}) != "");
}
