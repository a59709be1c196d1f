#include <catch2/catch.hpp>

#include <string>
#include <string_view>

#include <graft/qonnx/convert/qdq_to_integer_operators.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial converted(const std::string& text) { return given(text).pass(qonnx::qdq_to_integer_operators()); }

}  // namespace

TEST_CASE("a Conv of dequantized integers becomes a ConvInteger and float factors", "[qonnx]") {
  const std::string head = "x: u8[1,2,5,5]; w = i8[3,2,3,3] random; ";
  const std::string text = head + "y = Relu(Conv(DequantizeLinear(x, f32[] 0.5, u8[] 3), DequantizeLinear(w,"
                                  "f32[3] {1, 2, 4}, i8[3] 0) {axis=0}, f32[3] {5, 6, 7}) {pads=[1,1,1,1]})";
  CHECK(converted(text).becomes(head +
                                "c = ConvInteger(x, w, u8[] 3, i8[] 0) {pads=[1,1,1,1]}; f = Cast(c) {to=f32};"
                                "y = Relu(Add(Mul(f, f32[3,1,1] {0.5, 1, 2}), f32[3,1,1] {5, 6, 7}))"));
  CHECK(converted(text).equivalent({.rtol = 1e-5}));
}

TEST_CASE("MatMul and Gemm become MatMulInteger", "[qonnx]") {
  const std::string head = "a: i8[N,3]; w = i8[3,2] {1, 2, 3, 4, 5, 6}; b = i32[2] {3, 4}; ";
  const std::string matmul =
      head + "y = MatMul(DequantizeLinear(a, f32[] 0.5, i8[] 3), DequantizeLinear(w, f32[2] {1, 2}, i8[2] {5, 6})"
             "{axis=1})";
  CHECK(converted(matmul).becomes(head + "y = Mul(Cast(MatMulInteger(a, w, i8[] 3, i8[2] {5, 6})) {to=f32},"
                                         "f32[2] {0.5, 1})"));
  CHECK(converted(matmul).equivalent());
  const std::string gemm = "a: i8[N,3]; v = i8[2,3] {1, 2, 3, 4, 5, 6}; b = i32[2] {3, 4};"
                           "y = Gemm(DequantizeLinear(a, f32[] 0.5), DequantizeLinear(v, f32[] 4),"
                           "DequantizeLinear(b, f32[] 2)) {transB=1}";
  CHECK(converted(gemm).becomes("a: i8[N,3]; w = i8[3,2] {1, 4, 2, 5, 3, 6}; z = i8[] 0; y = Add(Mul(Cast("
                                "MatMulInteger(a, w, z, z)) {to=f32}, f32[] 2), f32[2] {6, 8})"));
  CHECK(converted(gemm).equivalent());
}

TEST_CASE("qdq_to_integer_operators refuses", "[qonnx]") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return converted(text).refuses(reason);
  };
  const auto conv = [](std::string_view x, std::string_view w, std::string_view zero = "[] 0",
                       std::string_view s = "[] 1") {
    return "x: " + std::string(x) + "[1,2,5,5]; w = " + std::string(w) +
           "[3,2,3,3] 1; y = Conv(DequantizeLinear(x, f32[] 0.5), DequantizeLinear(w, f32" + std::string(s) + ", " +
           std::string(w) + std::string(zero) + ") {axis=0})";
  };
  CHECK(refuses(conv("i8", "u8"), "wrong"));
  CHECK(refuses(conv("u8", "i8", "[3] {1, 2, 3}", "[3] 1"), "zero points"));
  CHECK(refuses("x: f32[1,2]; w = i8[2,3] 1; y = MatMul(x, DequantizeLinear(w, f32[] 1))", "only its weight"));
  CHECK(refuses("x: u8[1,2]; w: f32[2,3]; y = MatMul(DequantizeLinear(x, f32[] 1), w)", "only its input"));
  CHECK(refuses("x: u8[1,2]; w: i8[2,3]; y = MatMul(DequantizeLinear(x, f32[] 1), DequantizeLinear(w, f32[] 1))",
                "not constant"));
  CHECK(refuses("x: u8[1,70000]; w = i8[70000,3] 127; y = MatMul(DequantizeLinear(x, f32[] 1),"
                "DequantizeLinear(w, f32[] 1))",
                "overflow"));
  CHECK(refuses("x: u8[2,1]; w = i8[2,3] 1; y = Gemm(DequantizeLinear(x, f32[] 1), DequantizeLinear(w, f32[] 1))"
                "{transA=1}",
                "transposes"));
  CHECK(refuses("x: u8[1,2]; w = i8[2,3] 1; b: f32[3]; y = Gemm(DequantizeLinear(x, f32[] 1),"
                "DequantizeLinear(w, f32[] 1), b)",
                "bias"));
  CHECK(refuses("x: u8[2,2]; w = i8[2,2] 1; y = Gemm(DequantizeLinear(x, f32[] 1), DequantizeLinear(w, f32[] 1),"
                "f32[2,1] {1, 2})",
                "one number for each channel"));  // one for each row
  CHECK(refuses("x: u8[1,2,5,5]; w = i8[3,2,3,3] 1; y = Conv(DequantizeLinear(x, f32[] 0.5),"
                "DequantizeLinear(w, f32[2] 1, i8[2] 0) {axis=0})",
                "one scale for each index"));
}
