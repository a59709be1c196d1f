#include <graft/pattern/slot.hpp>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a slot is unset, absent or bound") {
  Slot slot;
  CHECK_FALSE(slot.bound());
  slot.state = Slot::State::absent;
  CHECK_FALSE(slot.bound());
  slot.state = Slot::State::bound;
  CHECK(slot.bound());
}
