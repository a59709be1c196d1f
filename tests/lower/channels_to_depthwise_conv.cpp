#include <graft/lower/channels_to_depthwise_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/simplify/fuse/add_into_conv_bias.hpp>
#include <graft/simplify/fuse/mul_into_conv.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
  CHECK(refuses(around("a = Mul(x, f32[] 2)"), "no node makes it"));
  CHECK(refuses("x: f32[1,2,3,4]; y = Softmax(Mul(Neg(x), f32[] 2))", "no Conv reads it"));
  CHECK(refuses(around("a = Mul(h, f32[4] 2)"), "one value for each channel"));
  CHECK(refuses(around("a = Div(h, f32[2,1,1] {1, 0})"), "not finite"));
  CHECK(refuses("x: f32[1,C,3,4]; y = Conv(Mul(Neg(x), f32[] 2), f32[1,2,1,1] 1)", "rank 4"));
  CHECK(refuses("x: f32[1,2,3]; y = Conv(Mul(Neg(x), f32[] 2), f32[1,2,1] 1)", "rank 4"));
}
