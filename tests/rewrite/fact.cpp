#include <graft/rewrite/fact.hpp>

#include <memory>
#include <string_view>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

struct Named {
  static constexpr std::string_view fact_name = "named";
};
struct Made {
  static constexpr std::string_view fact_name = "made", fact_maker = "make";
};
struct Nameless {};
struct Unique {
  static constexpr std::string_view fact_name = "unique";
  std::unique_ptr<int> value;
};

}  // namespace

TEST_CASE("a fact can be copied and has a name") {
  STATIC_REQUIRE(Fact<Named>);
  STATIC_REQUIRE(Fact<Made>);
  STATIC_REQUIRE_FALSE(Fact<Nameless>);
  STATIC_REQUIRE_FALSE(Fact<Unique>);
}

TEST_CASE("a fact may name the pass that makes it") {
  CHECK(fact_maker<Made>() == "make");
  CHECK(fact_maker<Named>().empty());
}
