#include <graft/lower/rms_norm_to_l2_norm.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head =
    "opset 18; x: f32[2,N,4]; w = f32[4] {1, 2, 3, 4}; m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1});";
const std::string expected = "opset 18; x: f32[2,N,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})";

}  // namespace

TEST_CASE("an RMSNorm of each form becomes an L2 norm") {
  for (const std::string_view tail :
       {"y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-6))), w)", "y = Mul(w, Div(x, Sqrt(Add(f32[1] 1e-6, m))))",
        "y = Mul(Mul(x, Div(f32[] 1, Sqrt(Add(m, f32[] 1e-6)))), w)",
        "y = Mul(Mul(Reciprocal(Sqrt(Add(m, f32[] 1e-6))), x), w)",
        "y = Mul(Mul(x, Pow(Add(m, f32[] 1e-6), f32[] -0.5)), w)"}) {
    INFO(tail);
    CHECK(given(head + std::string(tail)).pass(rms_norms_to_l2_norms()).becomes(expected));
  }
  CHECK(given("opset 13; x: f32[2,4]; m = ReduceMean(Mul(x, x)) {axes=[1]};"
              "y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-6))), f32[4] {1, 2, 3, 4})")
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 13; x: f32[2,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})"));
}

TEST_CASE("Casts before and after an RMSNorm stay") {
  CHECK(given("opset 18; x: f16[2,4]; h = Cast(x) {to=1}; m = ReduceMean(Pow(h, f32[] 2), i64[1] {-1});"
              "y = Mul(f16[4] {1, 2, 3, 4}, Cast(Div(h, Sqrt(Add(m, f32[] 1e-5)))) {to=10})")
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 18; x: f16[2,4]; h = LpNormalization(Cast(x) {to=1}) {p=2, axis=-1};"
                     "y = Mul(Cast(h) {to=10}, f16[4] {2, 4, 6, 8})"));
}

TEST_CASE("of a weight of ones, one element is left") {
  const std::string body = "m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1}); y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-6))), w)";
  CHECK(given("opset 18; x: f32[2,4]; w = f32[4] 1; " + body)
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 18; x: f32[2,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[1] 2)"));
  // The extent that counts is that of the mean, not of the weight.
  CHECK(given("opset 18; x: f32[2,4]; w = f32[1] 3; " + body)
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 18; x: f32[2,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[1] 6)"));
  // One element would lose what the weight broadcasts.
  CHECK(given("opset 18; x: f32[1,4]; w = f32[2,4] 1; " + body)
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 18; x: f32[1,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[2,4] 2)"));
}

TEST_CASE("a weight that others read stays") {
  CHECK(given(head + "y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-6))), w); z = Neg(w)")
            .rule(rms_norm_to_l2_norm)
            .becomes(expected + "; z = Neg(f32[4] {1, 2, 3, 4}); return y, z"));
  CHECK(given("opset 18; x: f32[2,4]; w = f32[4] {1, 2, 3, 4}; a = i64[1] {-1};"
              "h = Mul(Div(x, Sqrt(Add(ReduceMean(Mul(x, x), a), f32[] 1e-6))), w); g = Neg(h);"
              "y = Mul(Div(g, Sqrt(Add(ReduceMean(Mul(g, g), a), f32[] 1e-6))), w)")
            .rule(rms_norm_to_l2_norm)
            .becomes("opset 18; x: f32[2,4]; w = f32[4] {2, 4, 6, 8};"
                     "y = Mul(LpNormalization(Neg(Mul(LpNormalization(x), w))), w)"));
}

TEST_CASE("rms_norm_to_l2_norm through all variants") {
  const VariantReport report =
      variants(rms_norm_to_l2_norm,
               "opset 18; x: f32[2,3,4]; w = f32[4] random; e = f32[] 1e-12; q = Pow(x, f32[] 2);"
               "m = ReduceMean(q, i64[1] {-1}); a = Add(m, e); r = Sqrt(a); d = Div(x, r); y = Mul(d, w)",
               {.atol = 1e-4}, {.leave_out = {{"dtypes", "epsilon is 0 in f16"}}});
  CHECK(report);
  CHECK(report.find("another consumer of %m")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%w as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("another consumer of %w")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("rms_norm_to_l2_norm refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given("opset 18; " + std::string(text)).rule(rms_norm_to_l2_norm).refuses(reason);
  };
  const std::string w = "w = f32[4] 2; ", tail = "; y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-6))), w)";
  CHECK(refuses("x: f32[2,4]; " + w + "m = ReduceMean(Pow(x, f32[] 3), i64[1] {-1})" + tail, ""));
  CHECK(refuses("x: f32[4,4]; " + w + "m = ReduceMean(Pow(x, f32[] 2), i64[1] 0)" + tail, "last axis"));
  CHECK(refuses("x: f32[4,4]; " + w + "m = ReduceMean(Pow(x, f32[] 2), i64[2] {0, 1})" + tail, "last axis"));
  CHECK(refuses("x: f32[4,4]; " + w + "m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1}) {keepdims=0}" + tail, ""));
  CHECK(refuses("x: f32[2,N]; " + w + "m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1})" + tail, "last extent"));
  CHECK(refuses("x: f32[2,4]; z: f32[2,4]; " + w + "m = ReduceMean(Pow(z, f32[] 2), i64[1] {-1})" + tail, ""));
  CHECK(refuses("x: f32[2,4]; " + w +
                    "m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1});"
                    "y = Mul(Div(x, Sqrt(Add(m, f32[] 1e-3))), w)",
                "epsilon"));
  CHECK(refuses("x: f32[2,4]; " + w +
                    "m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1});"
                    "y = Mul(Mul(x, Div(f32[] 2, Sqrt(Add(m, f32[] 1e-6)))), w)",
                ""));
  CHECK(
      refuses("x: f16[2,4]; m = ReduceMean(Pow(x, f16[] 2), i64[1] {-1});"
              "y = Mul(Div(x, Sqrt(Add(m, f16[] 1e-5))), f16[4] 60000)",
              "not finite"));
}
