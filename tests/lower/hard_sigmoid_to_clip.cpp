#include <graft/lower/hard_sigmoid_to_clip.hpp>

#include <catch2/catch.hpp>
#include <graft/lower/channels_to_depthwise_conv.hpp>
#include <graft/simplify/fuse/add_into_conv_bias.hpp>
#include <graft/simplify/fuse/mul_into_conv.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,2,N,4]; w = f32[2,2,1,1] {1, 2, 3, 4}; ";
const std::string result = "; y = Conv(a, f32[2,2,1,1] 1)";

}  // namespace

TEST_CASE("HardSigmoid behind a Conv becomes a Clip") {
  CHECK(given(head + "y = HardSigmoid(Conv(x, w)) {alpha=0.5, beta=0.25}")
            .pass(fixpoint(hard_sigmoid_to_clip, mul_into_conv, add_into_conv_bias))
            .becomes("x: f32[1,2,N,4];"
                     "y = Clip(Conv(x, f32[2,2,1,1] {0.5, 1, 1.5, 2}, f32[2] 0.25), f32[] 0, f32[] 1)"));
}

TEST_CASE("HardSwish among Convs becomes a depthwise Conv, a Clip and a Mul") {
  CHECK(given(head + "h = Conv(x, w); a = HardSwish(h)" + result)
            .pass(fixpoint(hard_swish_to_hard_sigmoid, hard_sigmoid_to_clip, mul_into_conv, add_into_conv_bias,
                           mul_to_depthwise_conv, add_to_depthwise_conv))
            .becomes(head + "h = Conv(x, w); d = Conv(h, f32[2,1,1,1] 0.16666667, f32[2] 0.5) {group=2};"
                            "a = Mul(h, Clip(d, f32[] 0, f32[] 1))" + result));
}

TEST_CASE("hard_sigmoid_to_clip through all variants") {
  const std::string in = "x: f32[1,2,3,4]; w = f32[2,2,1,1] random; h = Conv(x, w); ";
  const VariantReport report = variants(hard_sigmoid_to_clip, in + "y = HardSigmoid(h)", {.atol = 1e-6});
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 10")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(hard_swish_to_hard_sigmoid, in + "a = HardSwish(h); y = Conv(a, w)", {.atol = 1e-6}));
}

TEST_CASE("hard_sigmoid_to_clip refuses where no Conv takes the factor") {
  CHECK(given("x: f32[1,2,3,4]; y = HardSigmoid(Neg(x))").rule(hard_sigmoid_to_clip).refuses("no Conv reads it"));
  CHECK(given("x: f32[2,3]; y = HardSwish(Neg(x))").rule(hard_swish_to_hard_sigmoid).refuses("rank 4"));
}

TEST_CASE("hard_sigmoid_to_clip refuses where a caller may override the weight of the Conv") {
  CHECK(given("x: f32[1,1,2,2]; w: f32[1,1,1,1] = 2; y = HardSigmoid(Conv(x, w))")
            .rule(hard_sigmoid_to_clip)
            .refuses(""));
  CHECK(given("x: f32[1,1,2,2]; b: f32[1] = 2; y = HardSigmoid(Conv(x, f32[1,1,1,1] 2, b))")
            .rule(hard_sigmoid_to_clip)
            .refuses(""));
}
