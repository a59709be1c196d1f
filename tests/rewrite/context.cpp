#include <graft/rewrite/context.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("the last value that an argument was given counts") {
  static constexpr auto limit = arg<"limit", int>;
  Context context;
  CHECK_THROWS_WITH(context.argument(limit), "the argument 'limit' is not given with that type");
  context.arguments = {limit = 1, arg<"limit", double> = 2.5, limit = 3};
  CHECK(context.argument(limit) == 3);
  CHECK(context.argument(arg<"limit", double>) == 2.5);
}

TEST_CASE("without callbacks nothing is logged") {
  Context context;
  context.tell("a message");
  context.tell(Progress{"pass", 1, 2});
  CHECK_FALSE(context.is_cancelled());
  std::string told;
  context.log = [&](std::string_view message) { told = message; };
  context.progress = [&](const Progress& at) {
    told += " " + std::to_string(at.done) + "/" + std::to_string(at.total);
  };
  context.cancelled = [] { return true; };
  context.tell("a message");
  context.tell(Progress{"pass", 1, 2});
  CHECK(told == "a message 1/2");
  CHECK(context.is_cancelled());
}
