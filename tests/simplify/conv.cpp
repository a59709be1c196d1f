#include <graft/simplify/conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,2,4,5]; w = f32[3,2,3,3] random; b = f32[3] random; ";

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(pad_into_conv).refuses(reason);
}

}  // namespace

TEST_CASE("pad_into_conv adds up") {
  CHECK(given(head + "y = Conv(Pad(x, i64[8] {0,0,1,2,0,0,3,4}), w, b) {pads=[1,1,0,0], strides=[2,1]}")
            .rule(pad_into_conv)
            .becomes(head + "y = Conv(x, w, b) {pads=[2,3,3,4], strides=[2,1]}"));
  CHECK(given(head + "y = Conv(Pad(x, i64[8] {0,0,1,2,0,0,3,4}, f32[] 0) {mode=\"constant\"}, w, b)"
                     "{auto_pad=\"VALID\"}")
            .rule(pad_into_conv)
            .becomes(head + "y = Conv(x, w, b) {pads=[1,2,3,4]}"));
  CHECK(given("opset 10;" + head + "y = Conv(Pad(x) {pads=[0,0,1,2,0,0,3,4]}, w, b)")
            .rule(pad_into_conv)
            .becomes("opset 10;" + head + "y = Conv(x, w, b) {pads=[1,2,3,4]}"));
  CHECK(given("opset 18;" + head + "y = Conv(Pad(x, i64[4] {1,2,3,4}, _, i64[2] {-1,2}), w, b)")
            .rule(pad_into_conv)
            .becomes("opset 18;" + head + "y = Conv(x, w, b) {pads=[2,1,4,3]}"));
}

TEST_CASE("pad_into_conv through all variants") {
  const VariantReport report = variants(
      pad_into_conv, head + "h = Pad(x, i64[8] {0,0,1,0,0,0,0,2}, f32[] 0); y = Conv(h, w, b) {pads=[0,1,1,0]}");
  CHECK(report);
  CHECK(report.find("%h without input constant_value")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("auto_pad=\"SAME_UPPER\" at %y")->outcome == Variant::Outcome::refused);
  CHECK(report.find("mode=\"edge\" at %h")->outcome == Variant::Outcome::refused);
  CHECK(variants(pad_into_conv, "opset 10;" + head + "h = Pad(x) {pads=[0,0,1,0,0,0,0,2]}; y = Conv(h, w, b)"));
  CHECK(variants(pad_into_conv, "opset 18;" + head + "h = Pad(x, i64[4] {1,2,3,4}, _, i64[2] {-1,2}); y = Conv(h, w)"));
}

TEST_CASE("pad_into_conv refuses") {
  const auto padded = [](std::string_view pad, std::string_view attributes) {
    return head + "y = Conv(Pad(x, " + std::string(pad) + ", w, b) " + std::string(attributes);
  };
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0}, f32[] 1)", ""), "value"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0}) {mode=\"reflect\"}", ""), "mode"));
  CHECK(refuses(padded("i64[8] {1,0,1,0,0,0,0,0})", ""), "batch or channels"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,-1,0})", "{pads=[0,0,2,0]}"), "crops"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0})", "{auto_pad=\"SAME_LOWER\"}"), "auto_pad"));
  CHECK(refuses(head + "p: i64[8]; y = Conv(Pad(x, p), w)", "constant"));
  CHECK(refuses(head + "v: f32[]; y = Conv(Pad(x, i64[8] {0,0,1,0,0,0,0,0}, v), w)", "constant"));
}

TEST_CASE("add_before_conv adds to the bias what the weights make of it") {
  CHECK(given("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; y = Conv(Add(x, f32[2,1,1] {1, 10}), w)")
            .rule(add_before_conv)
            .becomes("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; y = Conv(x, w, f32[1] 73)"));
  CHECK(given("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4}; b = f32[2] {5, 6};"
              "y = Conv(Sub(x, f32[4,1] {1, 2, 3, 4}), w, b) {group=2, auto_pad=\"VALID\"}")
            .rule(add_before_conv)
            .becomes("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4};"
                     "y = Conv(x, w, f32[2] {0, -19}) {group=2, auto_pad=\"VALID\"}"));
  CHECK(given("x: f32[N,2]; w = f32[2,3] {1, 2, 3, 4, 5, 6}; y = Gemm(Add(f32[2] {1, 10}, x), w) {alpha=2}")
            .rule(add_before_conv)
            .becomes("x: f32[N,2]; w = f32[2,3] {1, 2, 3, 4, 5, 6};"
                     "y = Gemm(x, w, f32[3] {82, 104, 126}) {alpha=2}"));
}

TEST_CASE("add_before_conv through all variants") {
  for (const std::string_view text :
       {"x: f32[1,4,5,5]; w = f32[6,2,3,3] random; b = f32[6] random; c = f32[4,1,1] random;"
        "h = Add(x, c); y = Conv(h, w, b) {group=2}",
        "x: f32[2,3]; w = f32[4,3] random; b = f32[4] random; c = f32[3] random;"
        "h = Sub(x, c); y = Gemm(h, w, b) {transB=1}"}) {
    const VariantReport report = variants(add_before_conv, text, {.atol = 1e-5});
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
  }
}

TEST_CASE("add_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(add_before_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 1), f32[2,3,3,3] 1) {pads=[0,0,0,1]}", "padding"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 1), f32[2,3,3,3] 1) {auto_pad=\"SAME_UPPER\"}", "padding"));
  CHECK(refuses("x: f32[1,1,4,4]; y = Conv(Add(x, f32[3,1,1] 2), f32[2,3,1,1] 1)", "broadcast"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Sub(f32[] 1, x), f32[2,3,1,1] 1)", "constant"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Add(x, f32[] 3e38), f32[2,3,1,1] 1)", "too large"));
  CHECK(refuses("x: f32[1,3]; y = Gemm(Add(x, f32[] 2), f32[3,2] 1, f32[2] 1) {beta=0.5}", "beta"));
  CHECK(refuses("x: f32[3,3]; y = Gemm(Add(x, f32[3] 2), f32[3,2] 1) {transA=1}", "transposes"));
}

TEST_CASE("mul_before_conv scales the weights of each input channel, through the groups") {
  CHECK(given("x: f32[1,2,N,4]; w = f32[1,2,1,2] {1, 2, 3, 4}; b = f32[1] 1;"
              "y = Conv(Mul(x, f32[2,1,1] {2, 10}), w, b) {pads=[1,1,1,1]}")
            .rule(mul_before_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[1,2,1,2] {2, 4, 30, 40}, f32[1] 1) {pads=[1,1,1,1]}"));
  CHECK(given("x: f32[1,4,3]; w = f32[2,2,1] {1, 2, 3, 4};"
              "y = Conv(Div(x, f32[4,1] {1, 0.5, 0.25, 0.125}), w) {group=2}")
            .rule(mul_before_conv)
            .becomes("x: f32[1,4,3]; y = Conv(x, f32[2,2,1] {1, 4, 12, 32}) {group=2}"));
  CHECK(given("x: f32[N,2]; y = Gemm(Mul(f32[2] {2, 10}, x), f32[2,3] {1, 2, 3, 4, 5, 6})")
            .rule(mul_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[2,3] {2, 4, 6, 40, 50, 60})"));
  CHECK(given("x: f32[N,2]; y = Gemm(Mul(f32[2] {2, 10}, x), f32[3,2] {1, 2, 3, 4, 5, 6}) {transB=1}")
            .rule(mul_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[3,2] {2, 20, 6, 40, 10, 60}) {transB=1}"));
}

TEST_CASE("mul_before_conv through all variants") {
  for (const std::string_view text :
       {"x: f32[1,4,5,5]; w = f32[6,2,3,3] random; b = f32[6] random; c = f32[4,1,1] random;"
        "h = Mul(x, c); y = Conv(h, w, b) {group=2, pads=[1,1,1,1]}",
        "x: f32[2,3]; w = f32[3,4] random; b = f32[4] random; c = f32[3] random(1, 2);"
        "h = Div(x, c); y = Gemm(h, w, b)"}) {
    const VariantReport report = variants(mul_before_conv, text, {.atol = 1e-5});
    CHECK(report);
    CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
    CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
    CHECK(report.find("another consumer of %w")->outcome == Variant::Outcome::equivalent);
  }
}

TEST_CASE("mul_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(mul_before_conv).refuses(reason);
  };
  CHECK(refuses("x: f32[1,1,4,4]; y = Conv(Mul(x, f32[3,1,1] 2), f32[2,3,1,1] 1)", "broadcast"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Mul(x, f32[4] 2), f32[2,3,1,1] 1)", "one value for each channel"));
  CHECK(refuses("x: f32; y = Conv(Mul(x, f32[1,1,1,1] 2), f32[2,3,1,1] 1)", "rank"));
  CHECK(refuses("x: f32[1,3,4,4]; y = Conv(Div(x, f32[] 0), f32[2,3,1,1] 1)", "not finite"));
  CHECK(refuses("x: f32[1,3,4,4]; w: f32[2,3,1,1]; y = Conv(Mul(x, f32[] 2), w)", "constant"));
  CHECK(
      refuses("x: f32[1,3,4,4]; g = Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)); "
              "y = Conv(Mul(g, f32[] 0.5), f32[2,3,1,1] 1)",
              "part of a Gelu"));
  CHECK(refuses("x: f32[3,3]; y = Gemm(Mul(x, f32[3] 2), f32[3,2] 1) {transA=1}", "transposes"));
}

TEST_CASE("bn_before_conv scales the weights and adds to the bias") {
  CHECK(given("x: f32[1,2,N,4]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = Conv(BatchNormalization(x, s, o, m, v) {epsilon=1}, f32[1,2,1,2] {1, 2, 3, 4}, f32[1] 100)")
            .rule(bn_before_conv)
            .becomes("x: f32[1,2,N,4]; y = Conv(x, f32[1,2,1,2] {0.5, 1, 6, 8}, f32[1] 113.5)"));  // 100 - 3*2.5 + 7*3
  CHECK(given("x: f32[N,2]; s = f32[2] {1, 6}; o = f32[2] {0, 1}; m = f32[2] {5, -1}; v = f32[2] {3, 8};"
              "y = Gemm(BatchNormalization(x, s, o, m, v) {epsilon=1}, f32[2,1] {2, 10}) {alpha=2}")
            .rule(bn_before_conv)
            .becomes("x: f32[N,2]; y = Gemm(x, f32[2,1] {1, 20}, f32[1] 50) {alpha=2}"));
}

TEST_CASE("bn_before_conv through all variants") {
  const VariantReport report =
      variants(bn_before_conv,
               "x: f32[2,4,4,N]; s = f32[4] random; o = f32[4] random; m = f32[4] random; v = f32[4] random(0.5, 2);"
               "w = f32[2,2,3,3] random; b = f32[2] random;"
               "h = BatchNormalization(x, s, o, m, v) {epsilon=0.01}; y = Conv(h, w, b) {group=2}",
               {.atol = 1e-5});
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 7")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("bn_before_conv refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bn_before_conv).refuses(reason);
  };
  CHECK(
      refuses("x: f32[1,2,3]; p = f32[2] 1; w = f32[1,2,3] 1;"
              "y = Conv(BatchNormalization(x, p, p, p, p), w) {pads=[1,1]}",
              "padding"));
  CHECK(
      refuses("x: f32[1,2,3]; p = f32[2] 1; q = f32[1] 1; w = f32[1,2,1] 1;"
              "y = Conv(BatchNormalization(x, p, p, p, q), w)",
              "one value for each input channel"));
  CHECK(refuses("x: f32[1,1,3]; p = f32[1] -1; w = f32[1,1,1] 1; y = Conv(BatchNormalization(x, p, p, p, p), w)",
                "do not add up"));
  CHECK(refuses("x: f32[2,2]; p = f32[2] 1; y = Gemm(BatchNormalization(x, p, p, p, p), f32[2,1] 1) {transA=1}",
                "transposes"));
  CHECK(
      refuses("opset 15; x: f32[1,2,3]; p = f32[2] 1; h, m, v = BatchNormalization(x, p, p, p, p) {training_mode=1};"
              "y = Conv(h, f32[1,2,1] 1); return y",
              "training_mode"));
}
