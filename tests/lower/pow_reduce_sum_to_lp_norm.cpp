#include <graft/lower/pow_reduce_sum_to_lp_norm.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a quotient by the root of a sum of squares becomes LpNormalization") {
  for (const char* const root : {"Pow(n, f32[] 0.5)", "Sqrt(n)"}) {
    INFO(root);
    CHECK(given("x: f32[2,N,4]; n = ReduceSum(Pow(x, f32[] 2), i64[1] {-1}); y = Div(x, " + std::string(root) + ")")
              .pass(pow_reduce_sums_to_lp_norms())
              .becomes("x: f32[2,N,4]; y = LpNormalization(x) {p=2, axis=2}"));
  }
  CHECK(given("opset 12; x: f32[2,4]; n = ReduceSum(Mul(x, x)) {axes=[0]}; y = Div(x, Sqrt(n))")
            .rule(pow_reduce_sum_to_lp_norm)
            .becomes("opset 12; x: f32[2,4]; y = LpNormalization(x) {p=2, axis=0}"));
}

TEST_CASE("pow_reduce_sum_to_lp_norm through all variants") {
  CHECK(variants(pow_reduce_sum_to_lp_norm,
                 "x: f32[2,3,4]; h = Add(Abs(x), f32[] 1); q = Pow(h, f32[] 2); n = ReduceSum(q, i64[1] 1);"
                 "r = Pow(n, f32[] 0.5); d = Div(h, r); y = Neg(d)",
                 {.atol = 1e-5}));
}

TEST_CASE("pow_reduce_sum_to_lp_norm refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(pow_reduce_sum_to_lp_norm).refuses(reason);
  };
  CHECK(refuses("x: f32[4,4]; n = ReduceSum(Pow(x, f32[] 2), i64[2] {0, 1}); y = Div(x, Sqrt(n))", "several axes"));
  CHECK(refuses("x: f32[4,4]; n = ReduceSum(Pow(x, f32[] 2)); y = Div(x, Sqrt(n))", ""));
  CHECK(refuses("x: f32[4,4]; n = ReduceSum(Pow(x, f32[] 2), i64[1] 1) {keepdims=0}; y = Div(x, Sqrt(n))", ""));
  CHECK(refuses("x: f32[4,4]; n = ReduceSum(Pow(x, f32[] 3), i64[1] 1); y = Div(x, Sqrt(n))", ""));
  CHECK(refuses("x: f32[4,4]; n = ReduceSum(Pow(x, f32[] 2), i64[1] 1); y = Div(x, Pow(n, f32[] 2))", ""));
  CHECK(refuses("x: f32[4,4]; z: f32[4,4]; n = ReduceSum(Pow(z, f32[] 2), i64[1] 1); y = Div(x, Sqrt(n))", ""));
}
