#include <graft/graph/shortest_decimal.hpp>

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a decimal has as few digits as tell the number from its neighbours", "[quantize]") {
  CHECK(shortest_decimal(0.1f) == "0.1");
  CHECK(shortest_decimal(0.1) == "0.1");
  CHECK(shortest_decimal(double{0.1f}) == "0.10000000149011612");
  CHECK(shortest_decimal(std::nextafter(0.25f, 1.0f)) == "0.25000003");
  CHECK(shortest_decimal(-0.0f) == "-0");
  CHECK(shortest_decimal(std::numeric_limits<double>::lowest()) == "-1.7976931348623157e+308");
  CHECK(shortest_decimal(-std::numeric_limits<double>::denorm_min()) == "-5e-324");
}
