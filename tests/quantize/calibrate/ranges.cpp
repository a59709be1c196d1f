#include <graft/quantize/calibrate/ranges.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("ranges are found by name", "[quantize]") {
  Ranges ranges{{"x", {-1, 1}}};
  REQUIRE(ranges.find("x") != nullptr);
  CHECK(ranges.at("x") == Range{-1, 1});
  CHECK(ranges.find("y") == nullptr);
  CHECK_THROWS_WITH(ranges.at("y"), "y: its range is not known: calibrate, or load ranges that have it");
}

TEST_CASE("ranges of several runs are merged tensor by tensor", "[quantize]") {
  Ranges ranges{{"x", {-1, 1}}, {"y", {0, 2}}};
  ranges.merge({{"x", {0, 3}}, {"z", {5, 6}}});
  CHECK(ranges == Ranges{{"x", {-1, 3}}, {"y", {0, 2}}, {"z", {5, 6}}});
  ranges.set("x", {0, 1});
  ranges.erase("z");
  CHECK(ranges == Ranges{{"x", {0, 1}}, {"y", {0, 2}}});
}

TEST_CASE("ranges follow tensors that are renamed or joined", "[quantize]") {
  Ranges ranges{{"x", {-1, 1}}, {"y", {0, 2}}};
  ranges.rename("x", "in");
  ranges.rename("absent", "other");
  ranges.join("both", std::vector<std::string>{"in", "y"});
  CHECK(ranges == Ranges{{"in", {-1, 1}}, {"y", {0, 2}}, {"both", {-1, 2}}});
  ranges.join("both", std::vector<std::string>{"in", "absent"});
  CHECK(ranges.find("both") == nullptr);
}

TEST_CASE("a range with its min above its max is refused, unless nothing was seen", "[quantize]") {
  Ranges ranges;
  CHECK_THROWS_WITH(ranges.set("x", {6, -1}), "x: its min is above its max");
  CHECK_THROWS_WITH(ranges.merge("x", {6, -1}), "x: its min is above its max");
  CHECK_THROWS_WITH((Ranges{{"x", {6, -1}}}), "x: its min is above its max");
  ranges.set("x", {});
  CHECK(ranges.at("x").empty());
}
