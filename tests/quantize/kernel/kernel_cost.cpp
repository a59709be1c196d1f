#include <graft/quantize/kernel/kernel_cost.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a cost that is not stated is none", "[quantize]") {
  constexpr KernelCost cost{.call = 2};
  STATIC_REQUIRE(cost.element == 0);
  STATIC_REQUIRE(cost.weight == 0);
  STATIC_REQUIRE(cost.piece == 0);
  STATIC_REQUIRE(KernelCosts().in_integers.product == 0);
  STATIC_REQUIRE(FloatCost{"Erf", cost}.cost.call == 2);
  STATIC_REQUIRE(BlockCost().bits == 8);
}
