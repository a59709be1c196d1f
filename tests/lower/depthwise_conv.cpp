#include <graft/lower/depthwise_conv.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial convolved(std::string_view text) { return given(text).rule(average_pool_to_depthwise_conv); }

}  // namespace

TEST_CASE("an average pool is a depthwise Conv whose weights are one over their number") {
  const std::string head = "x: f32[N,3,9,8]; h = Abs(x); ";
  const Trial padded =
      convolved(head + "y = AveragePool(h) {kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1], count_include_pad=1}");
  CHECK(padded.becomes(head + "y = Conv(h, f32[3,1,3,2] 0.16666667163372)"
                              "{group=3, kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1]}"));
  CHECK(padded.equivalent({.dims = {{"N", 2}}}));
  const Trial plain = convolved("x: f32[2,1,8]; h = Abs(x); y = AveragePool(h) {kernel_shape=[4]}");
  CHECK(
      plain.becomes("x: f32[2,1,8]; h = Abs(x);"
                    "y = Conv(h, f32[1,1,4] 0.25) {group=1, kernel_shape=[4], strides=[1], pads=[0,0]}"));
  CHECK(plain.equivalent());
}

TEST_CASE("average_pool_to_depthwise_conv through all variants") {
  CHECK(variants(average_pool_to_depthwise_conv,
                 "x: f32[2,3,6,N]; h = Relu(x); y = AveragePool(h) {kernel_shape=[2,2], strides=[2,2]}"));
}

TEST_CASE("average_pool_to_depthwise_conv refuses") {
  const auto refuses = [](const std::string& attributes, std::string_view reason) {
    return convolved("x: f32[2,3,9,9]; h = Abs(x); y = AveragePool(h) {" + attributes + "}").refuses(reason);
  };
  CHECK(refuses("kernel_shape=[3,3], pads=[1,1,1,1]", "fewer values"));
  CHECK(refuses("kernel_shape=[2,2], ceil_mode=1, strides=[2,2]", "ceil_mode"));
  CHECK(refuses("kernel_shape=[2,2], auto_pad=\"SAME_UPPER\"", "auto_pad"));
  CHECK(convolved("opset 19; x: f32[2,3,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2], dilations=[2,2]}")
            .refuses("dilations"));
  CHECK(convolved("x: f32[2,3,9,9]; y = AveragePool(x) {kernel_shape=[2,2]}").refuses("has no producer"));
  CHECK(convolved("x: f32[2,C,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2]}").refuses("not known"));
  CHECK(convolved("x: f16[2,3,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2]}").refuses());
}

TEST_CASE("bn_to_depthwise_conv has one kernel of one element for each channel") {
  CHECK(given("x: f32[1,2,N,4]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = BatchNormalization(x, s, o, m, v) {epsilon=1}")
            .rule(bn_to_depthwise_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[2,1,1,1] {0.5, 2}, f32[2] {-2.5, 3}) {group=2}"));
  CHECK(given("x: f16[1,1,N]; p = f16[1] 4; y = BatchNormalization(x, p, p, p, p) {epsilon=0}")
            .rule(bn_to_depthwise_conv)
            .becomes("x: f16[1,1,N]; y = Conv(x, f16[1,1,1] 2, f16[1] -4)"));
}

TEST_CASE("bn_to_depthwise_conv through all variants") {
  const VariantReport report =
      variants(bn_to_depthwise_conv,
               "x: f32[2,3,4,N]; s = f32[3] random; o = f32[3] random; m = f32[3] random; v = f32[3] random(0.5, 2);"
               "h = Relu(x); y = BatchNormalization(h, s, o, m, v) {epsilon=0.01}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("bn_to_depthwise_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bn_to_depthwise_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[4,2]; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "no spatial axis"));
  CHECK(refuses("x: f32[2,0,4]; p = f32[0] {}; y = BatchNormalization(x, p, p, p, p)", "no elements"));
  CHECK(refuses("x: f32[2,2,0]; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "no elements"));
  CHECK(refuses("x: f32; p = f32[2] 1; y = BatchNormalization(x, p, p, p, p)", "rank is not known"));
  CHECK(
      refuses("opset 15; x: f32[1,2,3]; p = f32[2] 1;"
              "y, m, v = BatchNormalization(x, p, p, p, p) {training_mode=1}; return y",
              "training_mode"));
  CHECK(refuses("x: f32[1,2,3]; p = f32[2] 1; q = f32[1] 1; y = BatchNormalization(x, p, p, p, q)",
                "one value for each channel"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] -1; y = BatchNormalization(x, p, p, p, p)", "do not add up"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] 1; q = f32[1] inf; y = BatchNormalization(x, p, q, p, p)", "is not finite"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] 1; q = f32[1] nan; y = BatchNormalization(x, p, p, q, p)", "is not finite"));
  CHECK(
      refuses("x: f16[1,1,3]; p = f16[1] 1; s = f16[1] 60000; v = f16[1] 0.25;"
              "y = BatchNormalization(x, s, p, p, v) {epsilon=0}",
              "too large for its dtype"));
  CHECK(
      refuses("x: f16[1,1,3]; p = f16[1] 1; b = f16[1] 60000; m = f16[1] -6000;"
              "y = BatchNormalization(x, p, b, m, p) {epsilon=0}",
              "too large for its dtype"));
}

namespace {

const std::string head = "x: f32[1,2,N,4]; h = Neg(x); w = f32[3,2,3,3] random; ";
const std::string tail = "; y = Conv(Relu(a), w) {pads=[1,1,1,1]}";
std::string around(std::string_view text) { return head + std::string(text) + tail; }

}  // namespace

TEST_CASE("a constant along the channels becomes a depthwise Conv") {
  CHECK(given(around("a = Mul(f32[2,1,1] {2, 4}, h)"))
            .rule(mul_to_depthwise_conv)
            .becomes(around("a = Conv(h, f32[2,1,1,1] {2, 4}) {group=2}")));
  CHECK(given(around("a = Div(h, f32[] 4)"))
            .rule(mul_to_depthwise_conv)
            .becomes(around("a = Conv(h, f32[2,1,1,1] 0.25) {group=2}")));
  CHECK(given(around("a = Sub(h, f32[1,2,1,1] {2, 4})"))
            .rule(add_to_depthwise_conv)
            .becomes(around("a = Conv(h, f32[2,1,1,1] 1, f32[2] {-2, -4}) {group=2}")));
}

TEST_CASE("one Conv is left of a row") {
  CHECK(given(around("a = Div(Add(f32[] 1, Mul(Sub(h, f32[2,1,1] {1, 2}), f32[2,1,1] {2, 4})), f32[] 2)"))
            .pass(fixpoint(mul_into_conv, add_into_conv_bias, mul_to_depthwise_conv, add_to_depthwise_conv))
            .becomes(around("a = Conv(h, f32[2,1,1,1] {1, 2}, f32[2] {-0.5, -3.5}) {group=2}")));
}

TEST_CASE("channels_to_depthwise_conv through all variants") {
  const std::string in = "x: f32[1,2,5,4]; h = Neg(x); w = f32[3,2,3,3] random; c = f32[2,1,1] random(1, 2); ";
  const VariantReport report = variants(mul_to_depthwise_conv, in + "a = Div(h, c)" + tail, {.atol = 1e-5});
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(variants(add_to_depthwise_conv, in + "a = Add(h, c)" + tail, {.atol = 1e-5}));
}

TEST_CASE("channels_to_depthwise_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(mul_to_depthwise_conv).refuses(reason);
  };
  CHECK(refuses(around("a = Mul(x, f32[] 2)"), "its producer is not a node"));
  CHECK(refuses("x: f32[1,2,3,4]; y = Softmax(Mul(Neg(x), f32[] 2))", "no Conv reads it"));
  CHECK(refuses(around("a = Mul(h, f32[4] 2)"), "one value for each channel"));
  CHECK(refuses(around("a = Div(h, f32[2,1,1] {1, 0})"), "not finite"));
  CHECK(refuses("x: f32[1,C,3,4]; y = Conv(Mul(Neg(x), f32[] 2), f32[1,2,1,1] 1)", "rank 4"));
  CHECK(refuses("x: f32[1,2,3]; y = Conv(Mul(Neg(x), f32[] 2), f32[1,2,1] 1)", "rank 4"));
}
