#include <graft/graph/result.hpp>

#include <memory>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

using graft::Error;
using graft::Result;

TEST_CASE("a result holds a value or an error") {
  Result<std::string> value("four");
  REQUIRE(value);
  CHECK(value.has_value());
  CHECK(*value == "four");
  CHECK(value->size() == 4);
  value->push_back('!');
  CHECK(*std::as_const(value) == "four!");
  CHECK(std::as_const(value)->size() == 5);

  const Result<std::string> error(Error("broken").field("pads").code("worn_out"));
  CHECK_FALSE(error);
  CHECK_FALSE(error.has_value());
  CHECK(error.error().message() == "broken");
  CHECK(error.error().field() == "pads");
  CHECK(error.error().code() == "worn_out");
}

TEST_CASE("a value that cannot be copied moves out of its result") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = *std::move(result);
  CHECK(*taken == 3);
}

TEST_CASE("a result without a value is success or an error") {
  CHECK(Result<void>());
  const Result<void> error(Error("broken"));
  CHECK_FALSE(error);
  CHECK_FALSE(error.has_value());
  CHECK(error.error().message() == "broken");
}
