#include <graft/graph/reservation.hpp>

#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/graph/allocation_budget.hpp>

using namespace graft;

TEST_CASE("reserved bytes are of the budget until the reservation ends") {
  const Reservation unlimited(1000);  // no budget counts it
  const AllocationBudget budget(100);
  {
    std::vector<Reservation> held;
    held.emplace_back(60);
    CHECK(AllocationBudget::left() == 40);
    held.push_back(Reservation(40));  // moved
    CHECK(AllocationBudget::left() == 0);
    CHECK_THROWS_WITH(Reservation(1), "1 bytes are needed, the budget has 0 left");
  }
  CHECK(AllocationBudget::left() == 100);
}
