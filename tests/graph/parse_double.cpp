#include <catch2/catch.hpp>
#include <graft/graph/parse_double.hpp>

using namespace graft;

TEST_CASE("parse_double: all of the text is a number", "[graph]") {
  double value = 0;
  CHECK((parse_double("0.1", value) && value == 0.1));
  CHECK((parse_double("-2.5e-3", value) && value == -0.0025));
  CHECK((parse_double("7", value) && value == 7));
  for (const char* const text : {"", "x", "1x", "1 ", "0x", "1e999"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text, value));
  }
}
