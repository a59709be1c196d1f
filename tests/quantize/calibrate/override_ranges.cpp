#include <graft/quantize/calibrate/override_ranges.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

using namespace graft;

TEST_CASE("ranges of tensors are set by name and by expression", "[quantize]") {
  Net net;
  Value& y = net.conv(*net.x, "y");
  Model model = net.build({&net.op("Relu", {&y}, "a")});
  Context context;
  const Report report =
      (with_ranges(Ranges{{"x", {-1, 1}}, {"y", {-2, 2}}, {"of another", {0, 1}}}) |
       override_ranges({{"[ya]", {-6, 6}}, {"a", {0, 6}}, {"y_node", {0, 1}}, {"of another", {0, 2}}}))
          .run(model, context);
  CHECK(*context.facts.find<Ranges>() ==
        Ranges{{"x", {-1, 1}}, {"y", {-6, 6}}, {"a", {0, 6}}, {"of another", {0, 1}}});
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
