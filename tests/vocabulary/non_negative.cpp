#include <graft/vocabulary/non_negative.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

bool holds(const std::string& text, const std::string& name = "y") {
  const Model model = graph("x: f32[2,3]; " + text);
  return vocabulary::is_non_negative(*model.graph().find(name));
}

}  // namespace

TEST_CASE("what makes a value says that it is not negative") {
  CHECK(holds("y = Relu(x)"));
  CHECK(holds("y = Transpose(Abs(x))"));
  CHECK(holds("y = Tile(Expand(Abs(x), i64[3] {4, 2, 3}), i64[3] {1, 1, 2})"));
  CHECK(holds("y = Clip(x, f32[] 0)"));
  CHECK(holds("opset 10; y = Clip(x) {min=0.5}"));
  CHECK(holds("r = Relu(x); y = Concat(r, Exp(x)) {axis=0}"));
  CHECK(holds("b: u8[2]; y = Identity(b)", "b"));
  CHECK_FALSE(holds("y = Neg(x)"));
  CHECK_FALSE(holds("y = Identity(x)", "x"));
  CHECK_FALSE(holds("y = Transpose(x)"));
  CHECK_FALSE(holds("y = ReduceMax(Abs(x))"));  // of no elements it is -infinity
  CHECK_FALSE(holds("y = Clip(x, f32[] -1)"));
  CHECK_FALSE(holds("y = Clip(x)"));
  CHECK_FALSE(holds("m: f32[]; y = Clip(x, m)"));
  CHECK_FALSE(holds("y = Concat(Relu(x), x) {axis=0}"));
  CHECK_FALSE(holds("y = Sub(Relu(x), Relu(x))"));
}
