#include <graft/simplify/where.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a choice whose condition is known is what it chooses") {
  const std::string shape = "x: f32[B,N]; z: i64[2]; s = Shape(x);";
  CHECK(given(shape + "y = Neg(Where(Equal(s, i64[2] {-1, -1}), z, s))")
            .rule(known_choice)
            .becomes("x: f32[B,N]; z: i64[2]; s = Shape(x); y = Neg(s)"));
  CHECK(given(shape + "y = Neg(Where(GreaterOrEqual(s, i64[] 0), z, i64[1] 3))")
            .rule(known_choice)
            .becomes("x: f32[B,N]; z: i64[2]; y = Neg(z)"));
  CHECK(given("x: f32[2,3]; z: f32[2,3]; c = bool[1,3] true; y = Where(c, x, z)")
            .rule(known_choice)
            .becomes("x: f32[2,3]; z: f32[2,3]; y = Identity(x)"));
}

TEST_CASE("a choice stays if it is not known, from both, or widens what is chosen") {
  CHECK(given("x: f32[B,N]; z: i64[2]; y = Where(Equal(Shape(x), i64[2] {-1, 1}), z, z)")
            .rule(known_choice)
            .refuses("not known"));
  CHECK(given("x: f32[2]; z: f32[2]; y = Where(bool[2] {true, false}, x, z)").rule(known_choice).refuses("both"));
  for (const std::string_view text :
       {"x: f32[1]; z: f32[2]; y = Where(bool[1] true, x, z)", "x: f32[N]; z: f32[M]; y = Where(bool[1] true, x, z)",
        "x: f32[2]; z: f32[2]; y = Where(bool[1,1] true, x, z)"}) {
    INFO(text);
    CHECK(given(text).rule(known_choice).refuses("shape"));
  }
}

TEST_CASE("known_choice through all variants") {
  const VariantReport report =
      variants(known_choice, "x: f32[2,3]; z: f32[2,3]; c = bool[1,3] true; w = Where(c, x, z); y = Relu(w)");
  CHECK(report);
  CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("where_not selects the other way round") {
  const std::string head = "c: bool[2,1]; x: f32[N]; z: f32[]; ";
  CHECK(given(head + "y = Where(Not(c), x, z)").rule(where_not).becomes(head + "y = Where(c, z, x)"));
  CHECK(given(head + "n = Not(c); y = Where(n, x, z); return y, n").rule(where_not).refuses("graph output"));
  CHECK(variants(where_not, head + "n = Not(c); y = Where(n, x, z)"));
}
