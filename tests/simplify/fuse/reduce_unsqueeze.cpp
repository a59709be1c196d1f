#include <graft/simplify/fuse/reduce_unsqueeze.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("reduce_unsqueeze, axes as attributes and inputs") {
  CHECK(given("x: f32[2,N,4]; y = Unsqueeze(ReduceMean(x) {axes=[-1,0], keepdims=0}, i64[2] {0, 2})")
            .rule(reduce_unsqueeze)
            .becomes("x: f32[2,N,4]; y = ReduceMean(x) {axes=[-1,0]}"));
  CHECK(given("opset 11; x: f32[2,N]; y = Unsqueeze(ReduceSum(x) {axes=[1], keepdims=0}) {axes=[-1]}")
            .rule(reduce_unsqueeze)
            .becomes("opset 11; x: f32[2,N]; y = ReduceSum(x) {axes=[1]}"));
  CHECK(given("opset 18; x: f32[2,N]; y = Unsqueeze(ReduceL2(x, i64[1] -2) {keepdims=0}, i64[1] 0)")
            .rule(reduce_unsqueeze)
            .becomes("opset 18; x: f32[2,N]; y = ReduceL2(x, i64[1] -2)"));
  CHECK(given("x: f32[2,N]; y = Unsqueeze(ReduceMax(x) {keepdims=0}, i64[2] {1, 0})")
            .rule(reduce_unsqueeze)
            .becomes("x: f32[2,N]; y = ReduceMax(x)"));
  CHECK(given("x: f32[2,N]; y = Unsqueeze(ArgMin(x) {axis=1, keepdims=0}, i64[1] -1)")
            .rule(arg_unsqueeze)
            .becomes("x: f32[2,N]; y = ArgMin(x) {axis=1}"));
}

TEST_CASE("reduce_unsqueeze refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(reduce_unsqueeze).refuses(reason);
  };
  CHECK(refuses("x: f32[2,2]; y = Unsqueeze(ReduceMax(x) {axes=[0], keepdims=0}, i64[1] 1)", "axes differ"));
  CHECK(refuses("x: f32[2,2]; y = Unsqueeze(ReduceMax(x) {axes=[0]}, i64[1] 0)", "keepdims"));
  CHECK(refuses("x: f32; y = Unsqueeze(ReduceMax(x) {keepdims=0}, i64[1] 0)", "rank"));
  CHECK(refuses("x: f32[1]; y = Unsqueeze(ReduceSum(x) {keepdims=0, noop_with_empty_axes=1}, i64[1] 0)", "noop"));
  CHECK(refuses("x: f32[2]; a: i64[1]; y = Unsqueeze(ReduceSum(x, a) {keepdims=0}, i64[1] 0)", "constant"));
  CHECK(given("x: f32[2,2]; y = Unsqueeze(ArgMax(x) {axis=1, keepdims=0}, i64[1] 0)")
            .rule(arg_unsqueeze)
            .refuses("axes differ"));
}

TEST_CASE("reduce_unsqueeze through all variants") {
  for (const std::string_view f :
       {"ReduceSum(x, i64[2] {0, 2}) {keepdims=0}", "ReduceMax(x) {axes=[0,2], keepdims=0}"}) {
    const VariantReport report = variants(
        reduce_unsqueeze, "x: f32[2,N,4]; h = " + std::string(f) + "; g = Unsqueeze(h, i64[2] {0, 2}); y = Neg(g)");
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  }
  CHECK(variants(arg_unsqueeze, "x: f32[2,N]; h = ArgMax(x) {axis=1, keepdims=0}; y = Unsqueeze(h, i64[1] 1)"));
}
