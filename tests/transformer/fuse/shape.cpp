#include <graft/transformer/fuse/shape.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string measured(std::string_view index) {
  return "a: f32[B,4]; x: f32[S,B,3]; h = Relu(x); n = Gather(Shape(h), " + std::string(index) +
         "); y = Identity(h); return n, y";
}

}  // namespace

TEST_CASE("extents of inputs are measured there") {
  const auto becomes = [](std::string_view index, std::string_view input, std::string_view axis) {
    std::string wanted = measured(axis);
    wanted.replace(wanted.find("Shape(h)"), 8, "Shape(" + std::string(input) + ")");
    const Trial trial = given(measured(index)).rule(extent_of_input);
    CHECK(trial.becomes(wanted));
    CHECK(trial.equivalent());
    CHECK(trial.idempotent());
  };
  becomes("i64[] 0", "x", "i64[] 0");
  becomes("i64[1] 1", "a", "i64[1] 0");
  becomes("i64[] -2", "a", "i64[] 0");
}

TEST_CASE("extents of one input are measured together") {
  const std::string head = "x: f32[S,B,3]; h = Relu(x); y = Abs(h); ";
  const Trial trial = given(head + "n = Gather(Shape(h), i64[] 0); m = Gather(Shape(y), i64[] 1); return n, m, y")
                          .rule(extent_of_input);
  CHECK(trial.becomes(head + "s = Shape(x); n = Gather(s, i64[] 0); m = Gather(s, i64[] 1); return n, m, y"));
}

TEST_CASE("extent_of_input refuses") {
  CHECK(given(measured("i64[] 2")).rule(extent_of_input).refuses("no symbol"));
  CHECK(given(measured("i64[2] {0, 1}")).rule(extent_of_input).refuses("one extent"));
  CHECK(given("x: f32[S,B,3]; y = Gather(Shape(x), i64[] 0)").rule(extent_of_input).refuses("no node computes"));
  CHECK(given("x: f32[S,3]; c: bool[S,3]; h = Compress(x, Reshape(c, i64[1] -1)); y = Gather(Shape(h), i64[] 0)")
            .rule(extent_of_input)
            .refuses("symbol"));
}
