#include <graft/quantize/calibrate/ranges.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/rewrite/pass.hpp>
#include "quantize/nets.hpp"

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

TEST_CASE("ranges of tensors are set by name and by expression", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x, "y");
  Model model = net.build({&net.op("Relu", {&y}, "a")});
  Context context;
  const Report report =
      (with_ranges(Ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"of another", {0, 1}}}) |
       override_ranges({{"[ya]", {-6, 6}}, {"a", {0, 6}}, {"y_node", {0, 1}}, {"of another", {0, 2}}}))
          .run(model, context);
  CHECK(*context.facts.find<Ranges>() == Ranges{{"x", {-1, 1}}, {"y", {-6, 6}}, {"a", {0, 6}}, {"of another", {0, 1}}});
  CHECK(report.steps[1].changes == 3);
  CHECK(report.steps[1].notes ==
        std::vector<std::string>{"no tensor is called 'y_node'; the node of that name has the output 'y'",
                                 "no tensor is called 'of another'"});
}

TEST_CASE("there must be ranges to override", "[quantize]") {
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  CHECK_THROWS_WITH(override_ranges({}).run(model), Catch::Contains("needs ranges") && Catch::Contains("calibrate"));
}

TEST_CASE("a range with its min above its max overrides nothing", "[quantize]") {
  CHECK_THROWS_WITH(override_ranges({{"x", {0, 1}}, {"y.*", {6, -1}}}), "y.*: its min is above its max");
}
