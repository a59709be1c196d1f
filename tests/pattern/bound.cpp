#include <graft/pattern/bound.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

#include "pattern/words.hpp"

using namespace words;
using graft::detail::Misuse;
using graft::detail::misused;

namespace {

template <class P>
using CapturesOf = typename P::captures;

constexpr auto before = op<"Concat">(y, opt(b), each(op<"Relu">(x).as(act))).as(conv).with(alpha);
using Before = CapturesOf<decltype(before)>;

template <class P>
consteval Misuse misuse_of(const P&) {
  return misused<Before, CapturesOf<P>>().what;
}

}  // namespace

TEST_CASE("a replacement uses captures as the pattern binds them") {
  STATIC_REQUIRE(misuse_of(conv(y, opt(b), each(op<"Relu">(x)))) == Misuse::none);
  STATIC_REQUIRE(misuse_of(op<"Relu">(y).with(alpha)) == Misuse::none);
  STATIC_REQUIRE(misuse_of(op<"Relu">(w)) == Misuse::unbound);
  STATIC_REQUIRE(misuse_of(op<"Relu">(y).with(perm)) == Misuse::unbound);
  STATIC_REQUIRE(misuse_of(op<"Relu">(cst<"y">)) == Misuse::other_kind);
  STATIC_REQUIRE(misuse_of(op<"Relu">(b)) == Misuse::maybe_absent);
  STATIC_REQUIRE(misuse_of(op<"Relu">(x)) == Misuse::a_list);
  STATIC_REQUIRE(misuse_of(op<"Concat">(each(y))) == Misuse::no_list);
  STATIC_REQUIRE(misuse_of(op<"Relu">(y).as(node<"fresh">)) == Misuse::none);
  STATIC_REQUIRE(misuse_of(node<"unknown">(y)) == Misuse::unbound);
}

TEST_CASE("arguments and new nodes get slots beside the captures of the pattern") {
  constexpr auto target = arg<"target", int>;
  constexpr auto holds = predicate<[](const Value&, int) { return true; }>("")(y, target);
  using Where = CapturesOf<decltype(where(holds))>;
  using After = CapturesOf<decltype(op<"Relu">(y).as(node<"fresh">))>;
  using All = graft::detail::SlotCaptures<Before, Where, After>;
  STATIC_REQUIRE(All::size == Before::size + 2);
  STATIC_REQUIRE(All::has(target.id));
  STATIC_REQUIRE(All::has(node<"fresh">.id));
}
