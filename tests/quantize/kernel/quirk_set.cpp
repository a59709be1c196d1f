#include <graft/quantize/kernel/quirk_set.hpp>

#include <catch2/catch.hpp>

#include <graft/quantize/kernel/target.hpp>

using namespace graft;

TEST_CASE("a set of quirks gains and loses one or several", "[quantize]") {
  constexpr QuirkSet<Quirk> one{Quirk::does_not_simplify}, other{Quirk::drops_half_step_beyond};
  constexpr QuirkSet<Quirk> both = one.with(other);
  static_assert(both == one.with(Quirk::drops_half_step_beyond));
  CHECK((both.contains(Quirk::does_not_simplify) && both.contains(Quirk::drops_half_step_beyond)));
  CHECK(both.without(other) == one);
  CHECK(both.without(Quirk::does_not_simplify) == other);
  CHECK(one.without(other) == one);
  CHECK_FALSE(QuirkSet<Quirk>().contains(Quirk::refuses_half_step_beyond));
}
