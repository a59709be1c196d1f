#include <graft/lower/score_factor.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,2,4,8]; y: f32[1,2,8,4]; m: f32[1,1,4,4]; v: f32[1,2,4,8]; ";

}  // namespace

TEST_CASE("the factor of scores goes to the queries") {
  for (const std::string scores : {"Mul(s, f32[] 0.25)", "Mul(f32[] 0.25, s)", "Add(Mul(s, f32[] 0.25), m)"}) {
    const std::string mask = scores.starts_with("Add") ? "Add(MatMul(Mul(x, f32[] 0.25), y), m)"
                                                       : "MatMul(Mul(x, f32[] 0.25), y)";
    CHECK(given(head + "s = MatMul(x, y); z = MatMul(Softmax(" + scores + "), v)")
              .pass(score_factors_to_queries())
              .becomes(head + "z = MatMul(Softmax(" + mask + "), v)"));
  }
  CHECK(given(head + "z = MatMul(Softmax(Div(MatMul(x, y), f32[1] 4)), v)")
            .pass(score_factors_to_queries())
            .becomes(head + "z = MatMul(Softmax(MatMul(Div(x, f32[1] 4), y)), v)"));
}

TEST_CASE("other factors stay") {
  const auto refuses = [](const std::string& text, const std::string& why) {
    return given(head + text).rule(score_mul_to_query).refuses(why);
  };
  CHECK(refuses("z = MatMul(Mul(MatMul(x, y), f32[] 0.25), v)", "no Softmax follows"));
  CHECK(refuses("s = Mul(MatMul(x, y), f32[] 0.25); z = Softmax(s); return z, s", "no Softmax follows"));
  CHECK(refuses("z = Softmax(Mul(MatMul(x, y), f32[1,1,1,1,1] 0.25))", "expected .scalar()"));
  CHECK(refuses("z = Softmax(Mul(MatMul(x, y), f32[4] 0.25))", "expected .scalar()"));
}

TEST_CASE("the rules of score factors through all variants") {
  CHECK(variants(score_mul_to_query, head + "z = Softmax(Add(Mul(MatMul(x, y), f32[] 0.3), m))", {.atol = 1e-5}));
  CHECK(variants(score_div_to_query, head + "z = Softmax(Add(Div(MatMul(x, y), f32[] 3), m))", {.atol = 1e-5}));
  CHECK(lint(score_mul_to_query));
  CHECK(lint(score_div_to_query));
}
