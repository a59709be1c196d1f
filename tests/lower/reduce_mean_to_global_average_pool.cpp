#include <graft/lower/reduce_mean_to_global_average_pool.hpp>

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
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x) {axes=[1,2]}", "all axes behind the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x) {axes=[3]}", "all axes behind the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4,5]; y = ReduceMean(x)", ""));
  CHECK(refuses("opset 13; x: f32; y = ReduceMean(x) {axes=[2,3]}", "all axes behind the second"));
  CHECK(refuses("opset 13; x: f32[2,3,4]; y = ReduceMean(x) {axes=[2]}", "all axes behind the second"));
  CHECK(refuses("opset 13; x: i32[2,3,4,5]; y = ReduceMean(x) {axes=[2,3]}", ""));
  CHECK(refuses("x: f32[2,3]; y = ReduceMean(x) {axes=[1]}", ""));
}
