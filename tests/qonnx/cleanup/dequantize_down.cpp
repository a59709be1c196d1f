#include <graft/qonnx/cleanup/dequantize_down.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"

using namespace graft;

namespace {

Trial down(const std::string& text) { return given(text).pass(qonnx::dequantize_down()); }

/// Of scale 1, which all of them share.
std::string unit(const std::string& x) { return quant(x, "one"); }
const std::string one = "one = f32[] 1; ";

}  // namespace

TEST_CASE("a quantizer makes integers and its scale comes behind it, bit by bit the same", "[qonnx]") {
  const std::string scales = "f32[3] {0.1, 0.3, 0.7}";
  CHECK(down("x: f32[2,3]; y = " + quant("x", scales, "f32[] 1"))
            .becomes("x: f32[2,3]; y = Mul(" + quant("Div(x, " + scales + ")", "f32[] 1", "f32[] 1") + ", " + scales +
                     ")"));
  CHECK(down("x: f32[2,3]; y = " + quant("x", scales, "f32[] 1")).equivalent(as_qonnx(0)));
  CHECK(down("x: f32[2,3]; y = " + quant("x", scales, "f32[] 1")).idempotent());
  CHECK(down("x: f32[2,3]; y = qonnx.custom_op.general::BipolarQuant(x, f32[] 0.3)").equivalent(as_qonnx(0)));
  CHECK(down("x: f32[2,3]; y = qonnx.custom_op.general::Trunc(x, f32[] 0.3, f32[] 0, f32[] 8, f32[] 4)")
            .equivalent(as_qonnx(0)));
  CHECK(down("x: i8[2,3]; y = DequantizeLinear(x, f32[3] {0.1, 0.3, 0.7}, i8[3] {1, 2, 3}) {axis=1}")
            .equivalent({.atol = 0, .rtol = 0}));
}

TEST_CASE("scales of both factors come behind MatMul, one for each column", "[qonnx]") {
  const std::string text = "x: f32[2,3]; w = " + quant("f32[3,2] {1, 2, 3, 4, 5, 6}", "f32[1,2] {0.5, 0.25}") +
                           "; y = MatMul(" + quant("x") + ", w)";
  CHECK(down(text).equivalent(as_qonnx()));
  CHECK(down(text).becomes(one + "x: f32[2,3]; w = " + unit("f32[3,2] {2, 8, 6, 16, 10, 24}") + "; p = MatMul(" +
                           unit("Div(x, f32[] 0.125)") + ", w); y = Mul(p, f32[1,2] {0.0625, 0.03125})"));
}

TEST_CASE("scales of channels come behind Conv, its bias behind them", "[qonnx]") {
  const std::string text = "x: f32[1,2,5,5]; w = " + quant("f32[3,2,3,3] random", "f32[3,1,1,1] {0.5, 0.25, 0.125}") +
                           "; y = Relu(Conv(" + quant("x") + ", w, f32[3] {1, 2, 3}) {pads=[1,1,1,1]})";
  CHECK(down(text).equivalent(as_qonnx()));
  Model model = graph(text);
  qonnx::dequantize_down().run(model);
  const Node& relu = *model.graph().last_node();
  REQUIRE(relu.is("Relu"));
  REQUIRE(relu.input(0)->producer()->is("Add"));
  const Node& mul = *relu.input(0)->producer()->input(0)->producer();
  REQUIRE(mul.is("Mul"));
  CHECK(to_string(mul.input(1)->shape()) == "[1,3,1,1]");
  CHECK(mul.input(0)->producer()->is("Conv"));
}

TEST_CASE("Gemm keeps its bias apart", "[qonnx]") {
  const std::string text = "x: f32[2,3]; w = " + quant("f32[2,3] random", "f32[2,1] {0.5, 0.25}") + "; y = Gemm(" +
                           quant("x") + ", w, f32[2] {1, 2}) {transB=1}";
  CHECK(down(text).equivalent(as_qonnx()));
  Model model = graph(text);
  qonnx::dequantize_down().run(model);
  CHECK(model.graph().last_node()->is("Add"));
}

TEST_CASE("sums of one scale and movement carry integers on", "[qonnx]") {
  CHECK(down("x: f32[1,2,4,4]; z: f32[1,2,4,4]; h = Add(" + quant("x") + ", " + quant("z") +
             "); p = MaxPool(Relu(h)) {kernel_shape=[2,2]}; y = Flatten(p)")
            .becomes(one + "x: f32[1,2,4,4]; z: f32[1,2,4,4]; h = Add(" + unit("Div(x, f32[] 0.125)") + ", " +
                     unit("Div(z, f32[] 0.125)") +
                     "); y = Mul(Flatten(MaxPool(Relu(h)) {kernel_shape=[2,2]}), f32[] 0.125)"));
  CHECK(down("x: f32[1,2,4]; y = Transpose(" + quant("x", "f32[2,1] {0.5, 0.25}") + ") {perm=[0,2,1]}")
            .equivalent(as_qonnx(0)));
  CHECK(down("x: f32[1,2,4,4]; y = GlobalAveragePool(" + quant("x", "f32[2,1,1] {0.5, 0.3}") + ")")
            .equivalent(as_qonnx()));
  CHECK(down("x: f32[1,2,4]; y = ReduceSum(" + quant("x") + ", i64[1] {2})").equivalent(as_qonnx()));
  CHECK(down("x: f32[1,2,4,4]; y = SpaceToDepth(" + quant("x") + ") {blocksize=2}")
            .becomes(one + "x: f32[1,2,4,4]; y = Mul(SpaceToDepth(" + unit("Div(x, f32[] 0.125)") +
                     ") {blocksize=2}, f32[] 0.125)"));
  CHECK(down("x: f32[1,2]; z: f32[1,2]; y = Concat(" + quant("x") + ", " + quant("z") + ") {axis=1}")
            .equivalent(as_qonnx(0)));
}

TEST_CASE("scales that differ stop, and say where", "[qonnx]") {
  Model model = graph("x: f32[2,3]; z: f32[2,3]; y = Add(" + quant("x") + ", " + quant("z", "f32[] 0.3") + ")");
  Context context;
  context.refusals = true;
  const Report report = qonnx::dequantize_down().run(model, context);
  CHECK(model.graph().last_node()->is("Add"));
  REQUIRE(report.refusals.size() == 1);
  CHECK_THAT(report.refusals[0].why, Catch::Contains("different scales"));
  CHECK(down("x: f32[2,3]; w = f32[3,2] random; y = MatMul(" + quant("x", "f32[3] {0.1, 0.3, 0.7}") + ", w)")
            .equivalent(as_qonnx()));
}

TEST_CASE("a product of floats, and a scale that is not a constant, stay", "[qonnx]") {
  const std::string floats = "x: f32[2,3]; w = f32[3,2] random; y = MatMul(Mul(x, f32[] 0.5), w)";
  CHECK(down(floats).becomes(floats));
  CHECK(down("x: f32[2,3]; s: f32[]; y = " + quant("x", "s")).refuses("constant"));
  CHECK(down("x: f32[2,3]; y = " + quant("x", "f32[] -1")).refuses("positive"));
}

TEST_CASE("another reader keeps the scaled value", "[qonnx]") {
  const std::string text = "x: f32[2,3]; q = " + quant("x") + "; w = f32[3,2] {1, 2, 3, 4, 5, 6}; y = MatMul(q, w);"
                           "z = Sigmoid(q); return y, z, q";
  CHECK(down(text).equivalent(as_qonnx()));
}

TEST_CASE("a zero point that is not an integer makes no integers, nor do floats of 8 bits", "[qonnx]") {
  const auto stays = [](const std::string& q) {
    Model model = graph("opset 19; x: f32[1,2]; i: u8[1,2]; q = " + q + "; y = Relu(Mul(q, f32[] 0.5))");
    return qonnx::dequantize_down().run(model).changes == 0;
  };
  CHECK(stays(quant("x", "f32[] 1", "f32[] 0.5")));
  CHECK(stays("DequantizeLinear(Cast(x) {to=f8e4m3fn}, f32[] 1)"));
  CHECK_FALSE(stays(quant("x", "f32[] 1", "f32[] 1")));
  CHECK_FALSE(stays("DequantizeLinear(i, f32[] 1)"));
}

TEST_CASE("depth is not an obstacle", "[qonnx]") {
  constexpr int depth = 50'000;
  Builder b(13);
  Value* x = &b.input("x", DType::f32, {1});
  for (int i = 0; i < depth; ++i) x = &b.op("Relu", {x});
  b.output(b.op("Mul", {x, &b.constant(Tensor::scalar(0.5F), "s")}), "z");
  b.output(b.op("Relu", {&b.op("Mul", {x, &b.constant(Tensor::scalar(0.25F), "t")})}), "y");
  Model model = b.build();
  CHECK(qonnx::dequantize_down().run(model).changes == 0);
}
