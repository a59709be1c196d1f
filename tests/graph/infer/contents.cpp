#include <graft/graph/infer/contents.hpp>

#include <catch2/catch.hpp>

using graft::Contents;
using graft::Dim;
using graft::Ints;
using graft::Integer;

TEST_CASE("an integer is known, a symbol, or unknown") {
  CHECK(Integer(-3).known());
  CHECK(Integer(-3).value() == -3);
  CHECK(Integer(-3).is(-3));
  CHECK_FALSE(Integer().is(0));
  CHECK_FALSE(Integer().known());
  CHECK(Integer(Dim("N")).symbolic());
  CHECK(Integer(Dim("N")).symbol() == "N");
  CHECK(Integer(Dim(4)).is(4));
  CHECK(Integer(Dim()) == Integer());
}

TEST_CASE("as an extent it is not negative") {
  CHECK(Integer(4).dim() == Dim(4));
  CHECK(Integer(-1).dim() == Dim());
  CHECK(Integer(Dim("N")).dim() == Dim("N"));
  CHECK(Integer().dim() == Dim());
}

TEST_CASE("two unknown integers are not known to be equal") {
  CHECK(same_value(Integer(2), Integer(2)));
  CHECK(same_value(Integer(Dim("N")), Integer(Dim("N"))));
  CHECK_FALSE(same_value(Integer(), Integer()));
  CHECK_FALSE(same_value(Integer(Dim("N")), Integer(Dim("M"))));
}

TEST_CASE("contents are ints if every element is known") {
  CHECK(Contents::list({1, 2}).ints() == Ints{1, 2});
  CHECK(Contents::list({1, 2}).dims == Ints{2});
  CHECK_FALSE(Contents::list({1, Integer(Dim("N"))}).ints());
  CHECK(Contents::scalar(3).ints() == Ints{3});
  CHECK(Contents::scalar(3).dims.empty());
  CHECK(Contents::list({}).ints() == Ints{});
}
