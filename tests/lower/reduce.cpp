#include <graft/lower/reduce.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a mean over space becomes a GlobalAveragePool") {
  CHECK(given("opset 13; x: f32[N,3,H,4]; y = ReduceMean(x) {axes=[-1,2]}")
            .rule(reduce_mean_to_global_average_pool)
            .becomes("opset 13; x: f32[N,3,H,4]; y = GlobalAveragePool(x)"));
  CHECK(given("opset 18; x: f32[N,3,4,5,6]; y = ReduceMean(x, i64[3] {4, 2, 3})")
            .rule(reduce_mean_to_global_average_pool)
            .becomes("opset 18; x: f32[N,3,4,5,6]; y = GlobalAveragePool(x)"));
  CHECK(given("opset 18; x: f32[N,3,4,5]; y = ReduceMean(x, i64[2] {2, 3}) {keepdims=0}")
            .rule(reduce_mean_to_flat_average)
            .becomes("opset 18; x: f32[N,3,4,5]; y = Flatten(GlobalAveragePool(x))"));
}

TEST_CASE("reduce_mean_to_global_average_pool through all variants") {
  const VariantReport kept = variants(reduce_mean_to_global_average_pool,
                                      "opset 13; x: f32[2,3,4,5]; y = ReduceMean(x) {axes=[2,3]}", {.atol = 1e-6});
  CHECK(kept);
  CHECK(kept.find("opset 11")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(reduce_mean_to_flat_average,
                 "opset 18; x: f32[2,3,4,5]; a = i64[2] {2, 3}; y = ReduceMean(x, a) {keepdims=0}", {.atol = 1e-6}));
}

TEST_CASE("reduce_mean_to_global_average_pool refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(reduce_mean_to_global_average_pool).refuses(reason);
  };
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x) {axes=[1,2]}", "all axes after the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x) {axes=[3]}", "all axes after the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x)", ""));
  CHECK(refuses("opset 13; x: f32; y = ReduceMean(x) {axes=[2,3]}", "all axes after the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4]; y = ReduceMean(x) {axes=[2]}", "all axes after the second"));
  CHECK(refuses("opset 13; x: i32[2,3,4,5]; y = ReduceMean(x) {axes=[2,3]}", ""));
  CHECK(refuses("x: f32[2,3]; y = ReduceMean(x) {axes=[1]}", ""));
}

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
