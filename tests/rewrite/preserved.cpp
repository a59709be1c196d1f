#include <graft/rewrite/preserved.hpp>

#include <string_view>

#include <catch2/catch.hpp>
#include <graft/rewrite/type_key.hpp>

using namespace graft;

namespace {

struct A {
  static constexpr std::string_view fact_name = "a";
};
struct B {
  static constexpr std::string_view fact_name = "b";
};

}  // namespace

TEST_CASE("a pass preserves no fact, some or all") {
  CHECK_FALSE(Preserved().holds(TypeKey::of<A>()));
  CHECK(Preserved::of<A>().holds(TypeKey::of<A>()));
  CHECK_FALSE(Preserved::of<A>().holds(TypeKey::of<B>()));
  CHECK(Preserved::of<A, B>().holds(TypeKey::of<B>()));
  CHECK(Preserved::all().holds(TypeKey::of<A>()));
}
