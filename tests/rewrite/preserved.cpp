#include <graft/rewrite/preserved.hpp>

#include <string_view>
#include <typeindex>

#include <catch2/catch.hpp>

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
  CHECK_FALSE(Preserved().holds(typeid(A)));
  CHECK(Preserved::of<A>().holds(typeid(A)));
  CHECK_FALSE(Preserved::of<A>().holds(typeid(B)));
  CHECK(Preserved::of<A, B>().holds(typeid(B)));
  CHECK(Preserved::all().holds(typeid(A)));
}
