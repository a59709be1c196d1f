#include <graft/graph/builtins.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

using Checked = bool (*)(std::int64_t, std::int64_t, std::int64_t&);

/// The function in standard C++ returns what the compiler's own does.
void compare(Checked own, Checked portable) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> numbers{0, 3037000499, 3037000500, -3037000500, least / 2, greatest / 2, least, greatest};
  for (std::int64_t i = 1; i < 4; ++i) numbers.insert(numbers.end(), {i, -i, least + i, greatest - i, least / i});
  for (const std::int64_t a : numbers)
    for (const std::int64_t b : numbers) {
      CAPTURE(a, b);
      std::int64_t expected = 0, result = 1;
      CHECK(own(a, b, expected) == portable(a, b, result));
      CHECK(expected == result);
    }
}

}  // namespace

TEST_CASE("overflow checks in standard C++ agree with the compiler's own") {
  compare(builtins::add_overflows, builtins::portable::add_overflows);
  compare(builtins::subtract_overflows, builtins::portable::subtract_overflows);
  compare(builtins::multiply_overflows, builtins::portable::multiply_overflows);
  static_assert([] {
    std::int64_t product = 0;
    return !builtins::portable::multiply_overflows(-3, 5, product) && product == -15;
  }());
}
