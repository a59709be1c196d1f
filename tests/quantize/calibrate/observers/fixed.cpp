#include <graft/quantize/calibrate/observers/fixed.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/calibrate/observer.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("fixed: the range that it was given, whatever is seen", "[quantize]") {
  const Fixed observer{{0, 6}};
  CHECK(observer.range(of({tensor_of({-2, 20})}, observer.start())) == Range{0, 6});
}

TEST_CASE("fixed: a range with its min above its max is refused before anything runs", "[quantize]") {
  CHECK_THROWS_WITH((Fixed{{6, -1}}.start()), "its min is above its max");
  Statistics<Extremes> seen(Extremes{});
  seen.of("x").add(tensor_of({1}), {1, 1});
  CHECK_THROWS_WITH(ranges_of(Fixed{{6, -1}}, seen), "x: its min is above its max");
}
