#include <graft/quantize/kernel/bounds.hpp>

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("Relu and Clip have bounds, and other operators have none", "[quantize]") {
  Net net;
  CHECK(bounds(*net.op("Relu", {net.x}, "relu").producer()) == Range{0, INFINITY});
  CHECK(bounds(*net.clip(*net.x, -1, 6, "clip").producer()) == Range{-1, 6});
  CHECK_FALSE(bounds(*net.op("Sigmoid", {net.x}, "sigmoid").producer()));
}

TEST_CASE("a bound of Clip may be absent on either side", "[quantize]") {
  Net net;
  Value& six = net.scalar("six", 6);
  CHECK(bounds(*net.op("Clip", {net.x}, "none").producer()) == Range{-INFINITY, INFINITY});
  CHECK(bounds(*net.op("Clip", {net.x, nullptr, &six}, "max").producer()) == Range{-INFINITY, 6});
  CHECK(bounds(*net.op("Clip", {net.x, &six}, "min").producer()) == Range{6, INFINITY});
}

TEST_CASE("before version 11 the bounds of Clip are attributes", "[quantize]") {
  Net net(10);
  CHECK(bounds(*net.op("Clip", {net.x}, "clip", {{"min", 0.0f}, {"max", 6.0f}}).producer()) == Range{0, 6});
  CHECK(bounds(*net.op("Clip", {net.x}, "open", {{"max", 6.0f}}).producer()) == Range{-INFINITY, 6});
}

TEST_CASE("the greatest float32 is not a bound of Clip", "[quantize]") {
  constexpr float greatest = std::numeric_limits<float>::max();
  Net old(6), net;
  CHECK(bounds(*old.op("Clip", {old.x}, "clip", {{"min", 0.0f}}).producer()) == Range{0, INFINITY});
  CHECK(bounds(*net.clip(*net.x, -greatest, greatest, "open").producer()) == Range{-INFINITY, INFINITY});
  CHECK(bounds(*net.clip(*net.x, greatest, greatest, "one").producer()) == Range{greatest, INFINITY});
}

TEST_CASE("bounds that are not constant, or leave nothing, are none", "[quantize]") {
  Net net;
  Value& bound = net.builder.input("bound", DType::f32, {});
  CHECK_FALSE(bounds(*net.op("Clip", {net.x, nullptr, &bound}, "dynamic").producer()));
  CHECK_FALSE(bounds(*net.clip(*net.x, 2, 1, "crossed").producer()));
  CHECK_FALSE(bounds(*net.clip(*net.x, NAN, 1, "nan").producer()));
}
