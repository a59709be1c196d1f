#include <graft/lower/activation.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/lower/depthwise_conv.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string by_erf = "y = Mul(Mul(f32[] 0.5, h), Add(f32[] 1, Erf(Mul(h, f32[] 0.70710678))))";
const std::string by_tanh =
    "y = Mul(Mul(f32[] 0.5, h), Add(f32[] 1,"
    "Tanh(Mul(f32[] 0.79788456, Add(h, Mul(f32[] 0.044715, Mul(Mul(h, h), h)))))))";

}  // namespace

TEST_CASE("Gelus become their parts") {
  const std::string head = "opset 20; h: f32[2,4]; ", biased = "opset 20; x: f32[2,4]; b: f32[4]; ";
  for (const std::string op : {"Gelu(h)", "com.microsoft::Gelu(h)"})
    CHECK(given(head + "y = " + op).pass(decompose_gelus()).becomes(head + by_erf));
  for (const std::string op : {"Gelu(h) {approximate=\"tanh\"}", "com.microsoft::FastGelu(h)"})
    CHECK(given(head + "y = " + op).pass(decompose_gelus()).becomes(head + by_tanh));
  CHECK(given(biased + "y = com.microsoft::BiasGelu(x, b)")
            .pass(decompose_gelus())
            .becomes(biased + "h = Add(x, b); " + by_erf));
  CHECK(given(biased + "y = com.microsoft::FastGelu(x, b)")
            .pass(decompose_gelus())
            .becomes(biased + "h = Add(x, b); " + by_tanh));
}

TEST_CASE("Gelus taken apart give what they gave") {
  for (const std::string op :
       {"Gelu(h)", "Gelu(h) {approximate=\"tanh\"}", "com.microsoft::Gelu(h)", "com.microsoft::FastGelu(h)",
        "com.microsoft::FastGelu(h, f32[4] random)", "com.microsoft::BiasGelu(h, f32[4] random)"}) {
    INFO(op);
    CHECK(given("opset 20; h: f32[2,4]; y = " + op).pass(decompose_gelus()).equivalent());
  }
  CHECK(variants(decompose_gelu, "opset 20; x: f32[2,4]; h = Gelu(x); y = Neg(h)", {.atol = 1e-5}));
  CHECK(variants(decompose_tanh_gelu, "x: f32[2,4]; b = f32[4] random; h = com.microsoft::FastGelu(x, b); y = Neg(h)",
                 {.atol = 1e-4}));
}

TEST_CASE("decompose_gelu refuses") {
  CHECK(given("opset 20; x: f32[2]; y = Gelu(x) {approximate=\"tanh\"}").rule(decompose_gelu).refuses(""));
  CHECK(given("opset 20; x: f32[2]; y = Gelu(x)").rule(decompose_tanh_gelu).refuses(""));
  CHECK(given("opset 6; x: f32[2]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).refuses("opset 7"));
}

TEST_CASE("Gelu by Erf needs opset 9") {
  CHECK(given("opset 8; x: f32[2,4]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).refuses("opset 9"));
  CHECK(given("opset 9; x: f32[2,4]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).equivalent());
}

TEST_CASE("Erf becomes Tanh") {
  CHECK(
      given("x: f32[2,N]; y = Erf(x)").pass(erfs_to_tanhs()).becomes("x: f32[2,N]; y = Tanh(Mul(x, f32[] 1.2027833))"));
  CHECK(given("opset 13; x: bf16[2]; h = Erf(x); y = Neg(h); return y, h")
            .rule(erf_to_tanh)
            .becomes("opset 13; x: bf16[2]; h = Tanh(Mul(x, bf16[] 1.203125)); y = Neg(h); return y, h"));
}

TEST_CASE("erf_to_tanh through all variants") {
  const VariantReport report = variants(erf_to_tanh, "x: f32[2,N]; h = Erf(x); y = Neg(h)", {.atol = 0.02},
                                        {.leave_out = {{"dtypes", "the bound is above that of f16"}}});
  CHECK(report);
  CHECK(report.find("%h as a graph output")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("the bound of erf_to_tanh is not far off") {
  CHECK_FALSE(given("x: f32[256]; y = Erf(x)").rule(erf_to_tanh).equivalent({.atol = 0.015, .rtol = 0}));
}

TEST_CASE("erf_to_tanh refuses integers") { CHECK(given("x: i32[2]; y = Erf(x)").rule(erf_to_tanh).refuses("")); }

TEST_CASE("QuickGelu becomes a Sigmoid and products") {
  CHECK(given("x: f32[2,N]; y = com.microsoft::QuickGelu(x)")
            .pass(decompose_quick_gelus())
            .becomes("x: f32[2,N]; y = Mul(x, Sigmoid(Mul(f32[] 1.702, x)))"));
  CHECK(given("x: f16[2]; y = com.microsoft::QuickGelu(x) {alpha=0.5}")
            .pass(decompose_quick_gelus())
            .becomes("x: f16[2]; y = Mul(x, Sigmoid(Mul(f16[] 0.5, x)))"));
}

TEST_CASE("quick_gelu_to_sigmoid through all variants") {
  CHECK(variants(quick_gelu_to_sigmoid, "x: f32[2,N]; h = com.microsoft::QuickGelu(x) {alpha=1.25}; y = Neg(h)",
                 {.atol = 1e-6}));
}

TEST_CASE("the import of com.microsoft goes with its last node") {
  Model alone = graph("x: f32[2]; y = com.microsoft::QuickGelu(x)");
  decompose_quick_gelus().run(alone);
  CHECK(Model(alone.commit()).opset("com.microsoft") == 0);
  Model among = graph("x: f32[2]; y = com.microsoft::QuickGelu(com.microsoft::Gelu(x))");
  decompose_quick_gelus().run(among);
  CHECK(Model(among.commit()).opset("com.microsoft") == 1);
}

TEST_CASE("quick_gelu_to_sigmoid refuses") {
  CHECK(given("opset 6; x: f32[2]; y = com.microsoft::QuickGelu(x)").rule(quick_gelu_to_sigmoid).refuses("opset 7"));
}

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
            .becomes(head +
                     "h = Conv(x, w); d = Conv(h, f32[2,1,1,1] 0.16666667, f32[2] 0.5) {group=2};"
                     "a = Mul(h, Clip(d, f32[] 0, f32[] 1))" +
                     result));
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
