#include <graft/graph/extent_of_symbol.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("the name of a dim may say of which others it is made", "[graph]") {
  const std::map<std::string, std::int64_t> extents{{"past_sequence_length", 3}, {"sequence_length", 5}, {"s-1.x", 7}};
  const auto extent = [&](std::string_view symbol) {
    return extent_of_symbol(symbol, [&](std::string_view name) {
      const auto known = extents.find(std::string(name));
      return known != extents.end() ? known->second : 1;
    });
  };
  CHECK(extent("past_sequence_length + sequence_length") == 8);
  CHECK(extent("past_sequence_length+1") == 4);
  CHECK(extent("2*sequence_length + 3 * s-1.x") == 31);
  for (const char* const other : {"", "sequence_length", "past - present", "floor(s/2 + 1)", "a + ", "+ a", "a ** b",
                                  "a b + c", "9223372036854775807 + 1", "9223372036854775807 * 2"})
    CHECK(extent(other) == std::nullopt);
}
