#include <graft/pattern/arg.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

#include "pattern/words.hpp"

using namespace words;

namespace {

struct Target {
  std::string wanted;
};

constexpr auto target = arg<"target", Target>;
constexpr auto fits = predicate<[](const Node& node_, const Target& of) { return node_.op_type() == of.wanted; }>(
    "the target does not have this operator");
constexpr auto q = query<"fits">(one_of<"Relu", "Tanh">(x).as(act), where(fits(act, target)));

struct Small {
  Builder build{17};
  Value& relu = build.op("Relu", {&build.input("in", DType::f32, {2})});
};

}  // namespace

TEST_CASE("an argument is bound from outside") {
  Small m;
  CHECK(match(q, m.relu, target = Target{"Relu"}));
  CHECK(match(q, m.relu, target = Target{"Tanh"}).reason() == "the target does not have this operator");
  CHECK(match(q, m.relu, target = Target{"Relu"})[target].wanted == "Relu");
  CHECK(find_all(q, m.build.graph(), target = Target{"Relu"}).size() == 1);
}

TEST_CASE("an argument that is not given is an error that names it") {
  Small m;
  CHECK_THROWS_WITH(match(q, m.relu), Catch::Contains("'fits' reads the argument 'target'"));
  CHECK_THROWS_WITH(match(q, m.relu, arg<"other", Target> = Target{"Relu"}), Catch::Contains("target"));
}

TEST_CASE("an argument of another type is none") {
  Small m;
  CHECK_THROWS_WITH(match(q, m.relu, arg<"target", int> = 3), Catch::Contains("missing or has another type"));
}
