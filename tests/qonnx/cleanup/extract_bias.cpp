#include <graft/qonnx/cleanup/extract_bias.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"

using namespace graft;

TEST_CASE("a constant bias becomes an Add", "[qonnx]") {
  const std::string head = "x: f32[1,2,5,5]; w = f32[3,2,3,3] random; ";
  const Trial trial = given(head + "y = Conv(x, w, f32[3] {1, 2, 3}) {strides=[2,2]}").pass(qonnx::extract_bias());
  CHECK(trial.becomes(head + "y = Add(Conv(x, w) {strides=[2,2]}, f32[1,3,1,1] {1, 2, 3})"));
  CHECK(trial.equivalent());
  CHECK(given("x: f32[1,2,5]; w = f32[2,3,3] random; y = ConvTranspose(x, w, f32[3] {1, 2, 3})")
            .pass(qonnx::extract_bias())
            .becomes("x: f32[1,2,5]; w = f32[2,3,3] random; y = Add(ConvTranspose(x, w), f32[1,3,1] {1, 2, 3})"));
}

TEST_CASE("a quantized bias is quantized again in its new shape, others keep it", "[qonnx]") {
  const std::string head = "x: f32[1,2,5,5]; w = f32[3,2,3,3] random; zero = f32[] 0; bits = f32[] 4; b = " +
                           quant("f32[3] {0.1, 0.2, 0.3}", "f32[3] {0.1, 0.05, 0.2}", "zero", "bits") + "; ";
  const Trial trial = given(head + "y = Conv(x, w, b); z = Neg(b)").pass(qonnx::extract_bias());
  CHECK(trial.equivalent(as_qonnx()));
  CHECK(trial.becomes(head + "c = " +
                      quant("f32[1,3,1,1] {0.1, 0.2, 0.3}", "f32[1,3,1,1] {0.1, 0.05, 0.2}", "zero", "bits") +
                      "; y = Add(Conv(x, w), c); z = Neg(b); return y, z"));
}

TEST_CASE("a computed bias is reshaped", "[qonnx]") {
  const Trial trial =
      given("x: f32[1,2,5,5]; b: f32[3]; w = f32[3,2,3,3] random; y = Conv(x, w, b)").pass(qonnx::extract_bias());
  CHECK(trial.becomes("x: f32[1,2,5,5]; b: f32[3]; w = f32[3,2,3,3] random;"
                      "y = Add(Conv(x, w), Reshape(b, i64[4] {1, -1, 1, 1}))"));
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
}

TEST_CASE("a Conv whose rank is not known keeps its bias", "[qonnx]") {
  CHECK(given("x: f32; w: f32; b: f32[3]; y = Conv(x, w, b)").pass(qonnx::extract_bias()).refuses("rank"));
}

TEST_CASE("a Conv in a body, and a bias that callers may override", "[qonnx]") {
  const Trial trial = given("c: bool[]; x: f32[1,2,5,5]; b: f32[3] = {1, 2, 3}; w = f32[3,2,3,3] random;"
                            "y = If(c) {then_branch={ t = Conv(x, w, b) }, else_branch={ u = Conv(x, w) }}")
                          .pass(qonnx::extract_bias());
  CHECK(trial.equivalent());
  CHECK(trial.idempotent());
}
