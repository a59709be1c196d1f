#include "execution_provider/qdq_lowering.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

using namespace graft;
using qdq_lowering::lower_qdq;

namespace {

Trial lowered(const std::string& text) { return given(text).pass(lower_qdq()); }

/// The quantizers that are left.
std::size_t left_in(const std::string& text) {
  Model model = graph(text);
  Context context;
  context.executor = node_executor();
  lower_qdq().run(model, context);
  std::size_t count = 0;
  for (const Node& node : model.graph().nodes())
    if (is_quantize(node) || is_dequantize(node)) ++count;
  return count;
}

}  // namespace

// What TensorRT does not take

TEST_CASE("lower_qdq: a DequantizeLinear with a zero point is a difference times the scale") {
  CHECK(lowered("q: u8[2,3]; y = DequantizeLinear(q, f32[] 0.5, u8[] 128)")
            .becomes("q: u8[2,3]; y = Mul(Cast(Sub(Cast(q) {to=i32}, i32[] 128)) {to=f32}, f32[] 0.5)"));
  CHECK(lowered("opset 21; q: u16[2,3]; y = DequantizeLinear(q, f16[] 0.5, u16[1] {65535})")
            .becomes("opset 21; q: u16[2,3];"
                     "y = Mul(Cast(Sub(Cast(q) {to=i32}, i32[] 65535)) {to=f16}, f16[] 0.5)"));
}

TEST_CASE("lower_qdq: integers of 32 bits are subtracted in 64") {
  CHECK(lowered("q: i32[4]; y = DequantizeLinear(q, f32[] 0.5, i32[] 9)")
            .becomes("q: i32[4]; y = Mul(Cast(Sub(Cast(q) {to=i64}, i64[] 9)) {to=f32}, f32[] 0.5)"));
  CHECK(lowered("q: u32[4]; y = DequantizeLinear(q, f32[] 0.5, u32[] 4294967295)")
            .becomes("q: u32[4]; y = Mul(Cast(Sub(Cast(q) {to=i64}, i64[] 4294967295)) {to=f32}, f32[] 0.5)"));
}

TEST_CASE("lower_qdq: nothing is subtracted for a zero point of 0") {
  const std::string product = "q: i32[4]; y = Mul(Cast(q) {to=f32}, f32[] 0.5)";
  CHECK(lowered("q: i32[4]; y = DequantizeLinear(q, f32[] 0.5)").becomes(product));
  CHECK(lowered("q: i32[4]; y = DequantizeLinear(q, f32[] 0.5, i32[] 0)").becomes(product));
}

TEST_CASE("lower_qdq: a QuantizeLinear with a zero point is a quotient, rounded, shifted and clipped") {
  CHECK(lowered("x: f32[2,3]; y = QuantizeLinear(x, f32[] 0.5, u8[] 128)")
            .becomes("x: f32[2,3];"
                     "y = Cast(Clip(Add(Round(Div(x, f32[] 0.5)), f32[] 128), f32[] 0, f32[] 255)) {to=u8}"));
  for (const char* const dtype : {"u8", "i8", "u16", "i16"})
    CHECK(lowered("opset 21; x: f32[64]; y = QuantizeLinear(x, f32[] 0.01, " + std::string(dtype) + "[] 5)")
              .equivalent({.atol = 0, .rtol = 0}));
}

TEST_CASE("lower_qdq: f16 does not hold integers of 16 bits") {
  CHECK(lowered("opset 21; x: f16[2]; y = QuantizeLinear(x, f16[] 0.5, u16[] 7)")
            .becomes("opset 21; x: f16[2]; y = Cast(Clip(Add(Round(Div(Cast(x) {to=f32}, f32[] 0.5)), f32[] 7),"
                     "f32[] 0, f32[] 65535)) {to=u16}"));
  CHECK(lowered("opset 21; x: f16[2]; y = QuantizeLinear(x, f16[] 0.5, u8[] 7)")
            .becomes("opset 21; x: f16[2];"
                     "y = Cast(Clip(Add(Round(Div(x, f16[] 0.5)), f16[] 7), f16[] 0, f16[] 255)) {to=u8}"));
}

TEST_CASE("lower_qdq: ties round before an odd zero point is added") {
  CHECK(lowered("i: i32[256]; x = Mul(Cast(i) {to=f32}, f32[] 0.5); y = QuantizeLinear(x, f32[] 1, u8[] 3)")
            .equivalent({.atol = 0, .rtol = 0}));
}

// What it takes, or what cannot be lowered

TEST_CASE("lower_qdq: symmetric quantizers stay") {
  CHECK(lowered("q: u8[2]; y = DequantizeLinear(q, f32[] 0.5, u8[] 0)").refuses("symmetric"));
  CHECK(lowered("q: i8[2]; y = DequantizeLinear(q, f32[] 0.5)").refuses("symmetric"));
  CHECK(lowered("x: f32[2]; y = QuantizeLinear(x, f32[] 0.5, i8[] 0)").refuses("symmetric"));
  CHECK(left_in("x: f32[2]; y = QuantizeLinear(x, f32[] 0.5)") == 1);
  CHECK(left_in("q: i8[1,2,2,2]; x = DequantizeLinear(q, f32[] 0.5); w = i8[2,2,1,1] random;"
                "c = Conv(x, DequantizeLinear(w, f32[] 0.5, i8[] 0)); y = QuantizeLinear(c, f32[] 0.5, i8[] 0)") == 3);
}

TEST_CASE("lower_qdq: a QuantizeLinear to 32 bits stays") {
  CHECK(lowered("x: f32[2]; y = QuantizeLinear(x, f32[] 0.5, i32[] 3)").refuses("32 bits"));
}

TEST_CASE("lower_qdq: a scale is a positive, finite constant") {
  CHECK(lowered("q: u8[2]; y = DequantizeLinear(q, f32[] 0, u8[] 1)").refuses("not positive"));
  CHECK(lowered("q: u8[2]; y = DequantizeLinear(q, f32[] -1, u8[] 1)").refuses("not positive"));
  CHECK(lowered("q: u8[2]; s: f32[]; y = DequantizeLinear(q, s, u8[] 1)").refuses("expected a constant"));
}

TEST_CASE("lower_qdq: a zero point that callers may override is not taken for 0") {
  CHECK(lowered("q: u8[2]; z: u8[] = 1; y = DequantizeLinear(q, f32[] 1, z)").refuses("expected a constant"));
}

TEST_CASE("lower_qdq: integers of unknown width stay") {
  CHECK(lowered("opset mine 1; x: f32[2]; q = mine::Op(x); y = DequantizeLinear(q, f32[] 1, u8[] 1)")
            .refuses("not known"));
}

// Scales along an axis and in blocks

TEST_CASE("lower_qdq: scales broadcast along their axis") {
  const auto becomes = [](const std::string& axis, const std::string& dims) {
    return lowered("q: u8[2,3,2]; y = DequantizeLinear(q, f32[" + axis.substr(0, 1) + "] {1, 2, 4}, u8[3] {1, 2, 3})" +
                   axis.substr(1))
        .becomes("q: u8[2,3,2]; y = Mul(Cast(Sub(Cast(q) {to=i32}, i32" + dims + " {1, 2, 3})) {to=f32}, f32" + dims +
                 " {1, 2, 4})");
  };
  CHECK(becomes("3", "[1,3,1]"));
  CHECK(becomes("3{axis=1}", "[1,3,1]"));
  CHECK(becomes("3{axis=-2}", "[1,3,1]"));
  CHECK(lowered("q: u8[2,3]; y = DequantizeLinear(q, f32[3] {1, 2, 4}, u8[3] {1, 2, 3}) {axis=-1}").equivalent());
  CHECK(lowered("q: u8[3,2]; y = DequantizeLinear(q, f32[3] {1, 2, 4}, u8[3] {1, 2, 3}) {axis=0}").equivalent());
  CHECK(lowered("x: f32[3,2]; y = QuantizeLinear(x, f32[3] {1, 2, 4}, u8[3] {1, 2, 3}) {axis=0}").equivalent());
  CHECK(lowered("q: u8[3]; y = DequantizeLinear(q, f32[3] {1, 2, 4}, u8[3] {1, 2, 3}) {axis=0}").equivalent());
  CHECK(lowered("q: u8; y = DequantizeLinear(q, f32[3] {1, 2, 4}, u8[3] {1, 2, 3})").refuses("do not fit"));
}

TEST_CASE("lower_qdq: scales of blocks are repeated") {
  const std::string steps = "f32[2,3] {1, 2, 4, 8, 16, 32}, u8[2,3] {1, 2, 3, 4, 5, 6}) {axis=1, block_size=2}";
  CHECK(lowered("opset 21; q: u8[2,6]; y = DequantizeLinear(q, " + steps).equivalent());
  CHECK(lowered("opset 21; q: u8[2,5]; y = DequantizeLinear(q, " + steps).equivalent());
  CHECK(lowered("opset 21; x: f32[2,6]; y = QuantizeLinear(x, " + steps).equivalent());
  CHECK(lowered("opset 21; q: u8[6,2]; y = DequantizeLinear(q, f32[2,2] {1, 2, 4, 8}, u8[2,2] {1, 2, 3, 4})"
                "{axis=0, block_size=3}")
            .equivalent());
}

// Constants

TEST_CASE("lower_qdq: a dequantized constant is a float constant") {
  CHECK(lowered("x: f32[2]; y = Add(x, DequantizeLinear(i32[2] {3, -5}, f32[] 0.5))")
            .becomes("x: f32[2]; y = Add(x, f32[2] {1.5, -2.5})"));
  CHECK(lowered("opset 19; x: f16[2]; y = Add(x, DequantizeLinear(u8[2] {3, 5}, f16[] 0.5, u8[] 1))")
            .becomes("opset 19; x: f16[2]; y = Add(x, f16[2] {1, 2})"));
  CHECK(lowered("x: f32[2,2]; y = Add(x, DequantizeLinear(u8[2,2] {1, 2, 3, 4}, f32[2] {1, 2}, u8[2] {1, 0}) {axis=0})")
            .becomes("x: f32[2,2]; y = Add(x, f32[2,2] {0, 1, 6, 8})"));
}

TEST_CASE("lower_qdq: the quantizers of a product are lowered together") {
  const auto product = [](std::string_view input_zero, std::string_view result_zero, std::string_view rest = "") {
    return "q: u8[1,2,2,2]; x = DequantizeLinear(q, f32[] 0.5, u8[] " + std::string(input_zero) +
           "); w = i8[2,2,1,1] random; f = DequantizeLinear(w, f32[] 0.5, i8[] 0);" + "c = Conv(x, f);" +
           "y = QuantizeLinear(c, f32[] 0.5, u8[] " + std::string(result_zero) + ");" + std::string(rest);
  };
  CHECK(left_in(product("0", "0")) == 3);
  CHECK(left_in(product("3", "0")) == 1);  // not that of the result: it is not a constant
  CHECK(left_in(product("0", "3")) == 1);  // nor that of the input
  CHECK(left_in(product("3", "3")) == 0);
  CHECK(left_in(product("3", "3", "n = Neg(f); return y, n")) == 1);  // the weight has two readers
  CHECK(left_in("q: u8[2]; y = Add(DequantizeLinear(q, f32[] 1, u8[] 3), DequantizeLinear(i8[2] 1, f32[] 1))") == 1);
  CHECK(left_in("q: u8[1,2]; w: i8[2,2] = {1, 2, 3, 4};"  // callers may override the weight
                "y = MatMul(DequantizeLinear(q, f32[] 1, u8[] 3), DequantizeLinear(w, f32[] 1))") == 1);
}

TEST_CASE("lower_qdq: an int32 bias takes the weight along, unless it is made float before") {
  const std::string text =
      "q: i8[1,2]; x = DequantizeLinear(q, f32[] 0.5); w = DequantizeLinear(i8[2,2] {1, 2, 3, 4}, f32[] 0.5);"
      "b = DequantizeLinear(i32[2] {1, 2}, f32[] 0.25); y = Gemm(x, w, b)";
  CHECK(left_in(text) == 1);
  CHECK(given(text)
            .pass(sweep(qdq_lowering::fold_dequantize) | lower_qdq())
            .becomes("q: i8[1,2]; x = DequantizeLinear(q, f32[] 0.5);"
                     "w = DequantizeLinear(i8[2,2] {1, 2, 3, 4}, f32[] 0.5); y = Gemm(x, w, f32[2] {0.25, 0.5})"));
}

// Ownership

TEST_CASE("lower_qdq: each node of the arithmetic names its quantizer") {
  Model model = graph("x: f32[2]; y = QuantizeLinear(x, f32[] 0.5, u8[] 128)");
  Context context;
  context.provenance = true;
  lower_qdq().run(model, context);
  CHECK(model.graph().nodes().size() == 5);
  for (const Node& node : model.graph().nodes()) CHECK(origins_of(node) == "y");
}

TEST_CASE("lower_qdq: variants") {
  CHECK(
      variants(qdq_lowering::lower_dequantize, "q: u8[2,3]; d = DequantizeLinear(q, f32[] 0.5, u8[] 128); y = Neg(d)"));
  CHECK(variants(qdq_lowering::lower_quantize,
                 "x: f32[2,3]; q = QuantizeLinear(x, f32[] 0.5, u8[] 128); y = Cast(q) {to=f32}"));
}
