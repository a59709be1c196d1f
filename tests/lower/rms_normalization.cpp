#include <graft/lower/rms_normalization.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("SimplifiedLayerNormalization becomes what the standard has") {
  CHECK(given("opset 23; x: f32[2,3,4]; w: f32[3,4]; y = SimplifiedLayerNormalization(x, w) {axis=1, epsilon=0.25}")
            .pass(standard_rms_norms())
            .becomes("opset 23; x: f32[2,3,4]; w: f32[3,4]; y = RMSNormalization(x, w) {axis=1, epsilon=0.25}"));
  CHECK(given("opset 22; x: f32[2,N,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}")
            .pass(standard_rms_norms())
            .becomes("opset 22; x: f32[2,N,4]; w: f32[4]; m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1});"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
  CHECK(given("opset 23; x: f32[2,4]; y = RMSNormalization(x, f32[4] 2)")
            .pass(standard_rms_norms())
            .becomes("opset 23; x: f32[2,4]; y = RMSNormalization(x, f32[4] 2)"));
}

TEST_CASE("standard_rms_norm through all variants") {
  CHECK(variants(standard_rms_norm,
                 "x: f32[2,3,4]; w = f32[3,4] random; h = SimplifiedLayerNormalization(x, w) {axis=1}; y = Neg(h)",
                 {.atol = 1e-5}));
}

TEST_CASE("standard_rms_norm refuses") {
  CHECK(given("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z")
            .rule(standard_rms_norm)
            .refuses(""));
}

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

TEST_CASE("SimplifiedLayerNormalization becomes its parts") {
  CHECK(given("x: f32[2,N,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f32[2,N,4]; w: f32[4]; m = ReduceMean(Pow(x, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
  CHECK(given("opset 18; x: f32[2,3,4]; w: f32[3,4]; y = SimplifiedLayerNormalization(x, w) {axis=1, epsilon=0.25}")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("opset 18; x: f32[2,3,4]; w: f32[3,4]; m = ReduceMean(Pow(x, f32[] 2), i64[2] {-2, -1});"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
}

TEST_CASE("half precision is computed in f32") {
  const char* const text = "x: f16[2,4]; w: f16[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}";
  CHECK(given(text)
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f16[2,4]; w: f16[4]; h = Cast(x) {to=1}; m = ReduceMean(Pow(h, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Cast(Div(h, Sqrt(Add(m, f32[] 0.25)))) {to=10}, w)"));
  // Squares of f16 would overflow.
  CHECK(given("x: f16[2,4]; h = Mul(x, f16[] 1000); y = SimplifiedLayerNormalization(h, f16[4] 1)")
            .pass(simplified_layer_norms_to_rms_norms())
            .equivalent({.atol = 1e-2}));
}

TEST_CASE("SkipSimplifiedLayerNormalization becomes a sum and its parts") {
  CHECK(given("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4];"
              "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b) {epsilon=0.25}; return h, y")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4]; h = Add(Add(x, s), b);"
                     "m = ReduceMean(Pow(h, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Div(h, Sqrt(Add(m, f32[] 0.25))), w); return h, y"));
}

TEST_CASE("RMS norms give what the norms gave") {
  CHECK(variants(simplified_layer_norm_to_rms_norm,
                 "x: f32[2,3,4]; w = f32[3,4] random; h = SimplifiedLayerNormalization(x, w) {axis=1}; y = Neg(h)",
                 {.atol = 1e-5}));
  CHECK(variants(skip_simplified_layer_norm_to_rms_norm,
                 "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] random; b = f32[4] random;"
                 "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b); z = Neg(h); return y, z",
                 {.atol = 1e-5}));
}

TEST_CASE("simplified_layer_norm_to_rms_norm refuses") {
  CHECK(given("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z")
            .rule(simplified_layer_norm_to_rms_norm)
            .refuses(""));
  CHECK(given("x: f32; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w) {axis=1}")
            .rule(simplified_layer_norm_to_rms_norm)
            .refuses("rank"));
}

TEST_CASE("SimplifiedLayerNormalization becomes an L2 norm") {
  const std::string wanted = "x: f32[2,N,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})";
  CHECK(given("x: f32[2,N,4]; y = SimplifiedLayerNormalization(x, f32[4] {1, 2, 3, 4}) {epsilon=1e-6, stash_type=1}")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes(wanted));
  CHECK(given("opset 23; x: f32[2,N,4]; y = RMSNormalization(x, f32[4] {1, 2, 3, 4}) {axis=2}")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("opset 23; " + wanted));
  CHECK(given("x: f32[2,4]; y = SimplifiedLayerNormalization(x, f32[4] 1)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[1] 2)"));
}

TEST_CASE("SkipSimplifiedLayerNormalization becomes an L2 norm of a sum, which is an output too") {
  const std::string inputs = "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] {1, 2, 3, 4}; ";
  CHECK(given(inputs + "y = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,3,4]; s: f32[2,3,4];"
                     "y = Mul(LpNormalization(Add(x, s)) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})"));
  CHECK(given(inputs + "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, f32[4] {4, 3, 2, 1});"
                     "z = Neg(h); return y, z, h")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,3,4]; s: f32[2,3,4]; h = Add(Add(x, s), f32[4] {4, 3, 2, 1});"
                     "y = Mul(LpNormalization(h) {p=2, axis=-1}, f32[4] {2, 4, 6, 8}); z = Neg(h); return y, z, h"));
}

TEST_CASE("a weight that two norms share is scaled once, one that others read stays") {
  CHECK(given("x: f32[2,4]; w = f32[4] {1, 2, 3, 4}; h = SimplifiedLayerNormalization(x, w);"
              "y = SimplifiedLayerNormalization(Neg(h), w); z = Neg(w)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,4]; w = f32[4] {2, 4, 6, 8}; h = Mul(LpNormalization(x), w);"
                     "y = Mul(LpNormalization(Neg(h)), w); z = Neg(f32[4] {1, 2, 3, 4})"));
}

TEST_CASE("L2 norms give what the norms gave") {
  CHECK(variants(simplified_layer_norm_to_l2_norm,
                 "x: f32[2,3,4]; w = f32[4] random; h = SimplifiedLayerNormalization(x, w) {epsilon=1e-12};"
                 "y = Neg(h)",
                 {.atol = 1e-5}));
  CHECK(variants(skip_simplified_layer_norm_to_l2_norm,
                 "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] random; b = f32[4] random;"
                 "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b) {epsilon=1e-12};"
                 "z = Neg(h); return y, z",
                 {.atol = 1e-5}));
}

TEST_CASE("what stays a SimplifiedLayerNormalization") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(simplified_layer_norm_to_l2_norm).refuses(reason);
  };
  CHECK(refuses("x: f32[3,4]; w = f32[3,4] 2; y = SimplifiedLayerNormalization(x, w) {axis=0}", "last axis"));
  CHECK(refuses("x: f32[3,4]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w) {epsilon=0.001}", "epsilon"));
  CHECK(refuses("x: f32[3,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w)", ""));
  CHECK(refuses("x: f32[3,N]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w)", "last extent"));
  CHECK(refuses("x: f16[3,4]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w)", "another dtype"));
  CHECK(refuses("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z", ""));
}
