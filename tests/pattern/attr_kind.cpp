#include <graft/pattern/attr_kind.hpp>

#include <catch2/catch.hpp>

using namespace graft;
using graft::detail::attr_kind;
using graft::detail::literal_fits;

TEST_CASE("a declared type is a kind of attribute") {
  STATIC_REQUIRE(attr_kind<std::int64_t>() == Kind::i64);
  STATIC_REQUIRE(attr_kind<int>() == Kind::i64);
  STATIC_REQUIRE(attr_kind<bool>() == Kind::boolean);
  STATIC_REQUIRE(attr_kind<float>() == Kind::f32);
  STATIC_REQUIRE(attr_kind<std::string_view>() == Kind::str);
  STATIC_REQUIRE(attr_kind<std::string>() == Kind::str);
  STATIC_REQUIRE(attr_kind<DType>() == Kind::dtype);
  STATIC_REQUIRE(attr_kind<Ints>() == Kind::ints);
  STATIC_REQUIRE(attr_kind<Floats>() == Kind::floats);
  STATIC_REQUIRE(attr_kind<Tensor>() == Kind::tensor);
  STATIC_REQUIRE(attr_kind<Axis>() == Kind::axis);
  STATIC_REQUIRE(attr_kind<Axes>() == Kind::axes);
}

TEST_CASE("a literal fits the kind that it is of") {
  STATIC_REQUIRE(literal_fits<Kind::i64, int>());
  STATIC_REQUIRE_FALSE(literal_fits<Kind::i64, bool>());
  STATIC_REQUIRE_FALSE(literal_fits<Kind::i64, float>());
  STATIC_REQUIRE(literal_fits<Kind::f32, float>());
  STATIC_REQUIRE(literal_fits<Kind::f32, int>());
  STATIC_REQUIRE_FALSE(literal_fits<Kind::f32, bool>());
  STATIC_REQUIRE(literal_fits<Kind::str, const char*>());
  STATIC_REQUIRE_FALSE(literal_fits<Kind::dtype, int>());
  STATIC_REQUIRE_FALSE(literal_fits<Kind::tensor, int>());
}
