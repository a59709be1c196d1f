#include <graft/pattern/assign_slots.hpp>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;
using graft::detail::assign_slots;
using graft::detail::table_of;

namespace {

template <class P>
constexpr P with_slots(P p) {
  assign_slots(table_of(p), P::captures::ids);
  return p;
}

}  // namespace

TEST_CASE("names become slots") {
  constexpr auto p = with_slots(op<"Add">(op<"Relu">(x).as(act), x).with(alpha));
  using C = decltype(p)::captures;
  CHECK(p.nodes[0].slot == -1);
  CHECK(p.nodes[1].slot == static_cast<int>(C::find(act.id)));
  CHECK(p.nodes[2].slot == static_cast<int>(C::find(x.id)));
  CHECK(p.nodes[3].slot == p.nodes[2].slot);
  CHECK(p.attrs[0].slot == static_cast<int>(C::find(alpha.id)));
}

TEST_CASE("an operand knows the one before it, and its each") {
  constexpr auto p = with_slots(op<"Concat">(op<"Relu">(y), rest<>, each(op<"Exp">(x))));
  CHECK(p.nodes[1].previous == -1);
  CHECK(p.nodes[3].previous == 1);
  CHECK(p.nodes[4].previous == 3);
  CHECK(p.nodes[2].round == -1);
  CHECK(p.nodes[5].round == 4);
  CHECK(p.nodes[6].round == 4);
  CHECK(p.nodes[6].listed);
  CHECK_FALSE(p.nodes[2].listed);
}

TEST_CASE("a root is anchored at the nearest value that was bound before") {
  constexpr auto p = with_slots(roots(op<"Add">(x, w), op<"Mul">(op<"Relu">(x), w)));
  CHECK(p.nodes[3].step == Step::root);
  CHECK(p.nodes[6].slot == p.nodes[1].slot);
  CHECK(p.nodes[3].anchor == 6);  // x, though w is nearer: there may be equal copies of a constant
}

TEST_CASE("patterns without slots are errors") {
  CHECK_THROWS_WITH(with_slots(opt(rest<"more">)), Catch::Contains("stand among the operands"));
  CHECK_THROWS_WITH(with_slots(comm<"Max">(x, rest<>)), Catch::Contains("stand among the operands"));
  CHECK_THROWS_WITH(with_slots(op<"Add">(op<"Max">(each(x)), op<"Max">(each(x)))),
                    Catch::Contains("two each(...) of one pattern"));
  CHECK_THROWS_WITH(with_slots(roots(op<"Relu">(x), op<"Clip">(y, opt(x)))), Catch::Contains("a root of roots(...)"));
}

TEST_CASE("a replacement tells which nodes it builds again") {
  auto before = op<"Add">(op<"Conv">(x, w).as(conv), op<"Relu">(y).as(act));
  auto after = op<"QLinearConv">(x, w).like(conv);
  using C = decltype(before)::captures;
  assign_slots(table_of(before), C::ids);
  assign_slots(table_of(after), C::ids);
  SECTION("by its own nodes") {
    graft::detail::mark_reemitted(before.nodes, after.nodes);
    CHECK(before.nodes[1].reemitted);
    CHECK_FALSE(before.nodes[4].reemitted);
    CHECK_FALSE(before.nodes[0].reemitted);
  }
  SECTION("or, being a function, by what it captured") {
    graft::detail::mark_captured_reemitted(before.nodes);
    CHECK(before.nodes[4].reemitted);
    CHECK_FALSE(before.nodes[0].reemitted);
  }
}
