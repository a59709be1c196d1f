#include <graft/pattern/captures.hpp>

#include <type_traits>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

constexpr CaptureId x = capture_id("x", Kind::value), y = capture_id("y", Kind::constant);
constexpr CaptureId n = capture_id("n", Kind::node), n_ref = capture_id("n", Kind::node, Form::ref);
constexpr CaptureId more = capture_id("more", Kind::operands);
constexpr CaptureId a = capture_id("a", Kind::f32);

constexpr CaptureId maybe(CaptureId id) { return with_form(id, Form::maybe); }
constexpr CaptureId list(CaptureId id) { return with_form(id, Form::list); }

}  // namespace

TEST_CASE("captures are found by name") {
  using C = Captures<x, n>;
  STATIC_REQUIRE(C::find(x) == 0);
  STATIC_REQUIRE(C::find(maybe(n)) == 1);
  STATIC_REQUIRE(C::find(y) == C::size);
  STATIC_REQUIRE(C::has(n));
  STATIC_REQUIRE_FALSE(C::has(y));
}

TEST_CASE("one capture at two places is bound if it is bound at one") {
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<x>, Captures<y, x>>, Captures<x, y>>);
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<maybe(x)>, Captures<x>>, Captures<x>>);
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<maybe(x)>, Captures<maybe(x)>>, Captures<maybe(x)>>);
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<list(x)>, Captures<x>>, Captures<x>>);
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<n_ref>, Captures<n>>, Captures<n>>);
  STATIC_REQUIRE(std::is_same_v<detail::Join<Captures<n_ref>, Captures<n_ref>>, Captures<n_ref>>);
}

TEST_CASE("below something optional, captures may be absent") {
  using C = detail::Weakened<Captures<x, n, a, more, n_ref>>::type;
  STATIC_REQUIRE(std::is_same_v<C, Captures<maybe(x), maybe(n), maybe(a), more, with_form(n, Form::maybe_ref)>>);
}

TEST_CASE("below each, captures are lists") {
  using C = detail::Listed<Captures<x, n, a, n_ref>>::type;
  STATIC_REQUIRE(std::is_same_v<C, Captures<list(x), list(n), list(a), n_ref>>);
}

TEST_CASE("of alternatives, what both bind is bound") {
  using C = detail::OneOf<Captures<x, n>, Captures<n, y>>::type;
  STATIC_REQUIRE(std::is_same_v<C, Captures<maybe(x), n, maybe(y)>>);
  STATIC_REQUIRE(std::is_same_v<detail::OneOf<Captures<x>, Captures<maybe(x)>>::type, Captures<maybe(x)>>);
}
