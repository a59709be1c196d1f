#include <graft/quantize/observers/fixed.hpp>

#include <catch2/catch.hpp>

#include "quantize/statistics/parts.hpp"

using namespace graft;

TEST_CASE("fixed: the range that it was given, whatever is seen", "[quantize]") {
  const Fixed observer{{0, 6}};
  CHECK(observer.range(of({tensor_of({-2, 20})}, observer.start())) == Range{0, 6});
}
