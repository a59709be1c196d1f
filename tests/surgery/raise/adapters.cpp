#include <graft/surgery/detail/raise_adapters.hpp>

#include <catch2/catch.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult becomes(const std::string& text, int opset, const std::string& wanted) {
  return given(text).pass(raise_opset(opset)).becomes("opset " + std::to_string(opset) + "; " + wanted);
}
TestResult keeps(const std::string& text, int opset, double atol = 1e-6) {
  return given(text).pass(raise_opset(opset)).equivalent({.inputs = 8, .atol = atol});
}
TestResult refuses(const std::string& text, int opset, std::string_view reason) {
  return given(text).pass(raise_opset(opset)).refuses(reason);
}

}  // namespace

TEST_CASE("Softmax along the last axis is the same") {
  for (const std::string op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    CHECK(becomes("opset 11; x: f32[2,3]; y = " + op + "(x)", 13, "x: f32[2,3]; y = " + op + "(x) {axis=-1}"));
    CHECK(becomes("opset 11; x: f32[2,3,4]; y = " + op + "(x) {axis=2}", 13,
                  "x: f32[2,3,4]; y = " + op + "(x) {axis=-1}"));
  }
  CHECK(keeps("opset 11; x: f32[2,3,4]; y = Softmax(x) {axis=-1}", 13));
}

TEST_CASE("Softmax along another axis sees a matrix") {
  CHECK(becomes("opset 11; x: f32[2,3,4]; y = Softmax(x)", 13,
                "x: f32[2,3,4]; s = Shape(x); y = Reshape(Softmax(Flatten(x)) {axis=-1}, s)"));
  CHECK(becomes("opset 11; x: f32; y = Softmax(x) {axis=2}", 13,
                "x: f32; s = Shape(x); y = Reshape(Softmax(Flatten(x) {axis=2}) {axis=-1}, s)"));
  for (const std::string attributes : {"", "{axis=0}", "{axis=2}", "{axis=-2}"}) {
    CHECK(keeps("opset 11; x: f32[2,N,4,2]; y = Softmax(x) " + attributes, 13));
    CHECK(keeps("opset 11; x: f32[2,N,4,2]; h = LogSoftmax(x) " + attributes + "; y = Neg(h); return y, h", 13));
  }
  CHECK(keeps("opset 11; x: f32[2,3,4]; c: bool[]; h = Softmax(x);"
              "y = If(c) {then_branch={ return h }, else_branch={ n = Neg(h) }}",
              13));
}

TEST_CASE("BatchNormalization in inference") {
  const std::string text = "x: f32[1,2,3]; s = f32[2] random(0.5, 2); y = BatchNormalization(x, s, s, s, s)";
  CHECK(becomes("opset 9;" + text, 15, text));
  CHECK(keeps("opset 9;" + text, 15));
  CHECK(becomes("opset 6;" + text + " {is_test=1}", 9, text));
  CHECK(refuses("opset 9; x: f32[1,2,3]; s = f32[2] 1; y, m, v = BatchNormalization(x, s, s, s, s); return y", 15,
                "training mode"));
}

TEST_CASE("Upsample and Resize say how they map positions") {
  const std::string wanted =
      "x: f32[1,1,2,2]; y = Resize(x, _, f32[4] {1, 1, 2, 2})"
      "{coordinate_transformation_mode=\"asymmetric\", nearest_mode=\"floor\"}";
  CHECK(becomes("opset 8; x: f32[1,1,2,2]; y = Upsample(x) {scales=[1.0,1.0,2.0,2.0]}", 13, wanted));
  CHECK(becomes("opset 9; x: f32[1,1,2,2]; y = Upsample(x, f32[4] {1, 1, 2, 2})", 13, wanted));
  CHECK(becomes("opset 10; x: f32[1,1,2,2]; y = Resize(x, f32[4] {1, 1, 2, 2})", 13, wanted));
  CHECK(becomes("opset 9; x: f32[1,1,2,2]; y = Upsample(x, f32[4] {1, 1, 2, 2}) {mode=\"linear\"}", 10,
                "x: f32[1,1,2,2]; y = Resize(x, f32[4] {1, 1, 2, 2}) {mode=\"linear\"}"));
  CHECK(becomes("opset 10; x: f32[1,1,2,2]; y = Resize(x, f32[4] {1, 1, 2, 2}) {mode=\"linear\"}", 11,
                "x: f32[1,1,2,2]; r = f32[0] 0; y = Resize(x, r, f32[4] {1, 1, 2, 2})"
                "{coordinate_transformation_mode=\"asymmetric\", mode=\"linear\"}"));
}

TEST_CASE("Resize-10 to the nearest takes the ceil along axes that shrink") {
  const auto resize = [](const std::string& scales) {
    return "opset 10; x: f32[1,1,5,7]; y = Resize(x, f32[4] " + scales + ")";
  };
  CHECK(becomes(resize("{1, 1, 0.6, 0.6}"), 13,
                "x: f32[1,1,5,7]; y = Resize(x, _, f32[4] {1, 1, 0.6, 0.6})"
                "{coordinate_transformation_mode=\"asymmetric\", nearest_mode=\"ceil\"}"));
  for (const int opset : {11, 12, 13, 18, 19}) {
    for (const char* scales : {"{1, 1, 0.6, 0.6}", "{1, 1, 0.3, 1}", "{1, 1, 2, 1.5}", "{1, 1, 0.75, 2}"})
      CHECK(keeps(resize(scales), opset));
    CHECK(keeps("opset 10; x: f32[1,1,5,7]; b: bool[]; t = f32[4] {1, 1, 1.4, 0.6}; u = f32[4] {1, 1, 0.8, 0.3};"
                "s = Where(b, t, u); y = Resize(x, s)",
                opset));
  }
}

TEST_CASE("a Resize whose mode is gone is refused, by node and attribute") {
  const auto resize = [](const std::string& mode) {
    return "x: f32[1,1,2,2]; y = Resize(x, f32[0] 0, f32[4] {1, 1, 2, 2}) {coordinate_transformation_mode=\"" + mode +
           "\"}";
  };
  Model model = graph("opset 11;" + resize("tf_half_pixel_for_nn"));
  CHECK_THROWS_WITH(raise_opset(model, 13), Catch::Contains("Resize") &&
                                                Catch::Contains("coordinate_transformation_mode: ") &&
                                                Catch::Contains("the mode tf_half_pixel_for_nn was removed"));
  CHECK(model.opset() == 11);
  CHECK(becomes("opset 11;" + resize("tf_half_pixel_for_nn"), 12, resize("tf_half_pixel_for_nn")));
  for (const int opset : {13, 18})
    CHECK(becomes("opset 11;" + resize("pytorch_half_pixel"), opset, resize("pytorch_half_pixel")));
}

TEST_CASE("Split into equal parts says how many") {
  const std::string head = "x: f32[4,6]; a, b = Split(x)";
  CHECK(becomes("opset 11;" + head + "{axis=1}", 13, head + "{axis=1}"));
  CHECK(becomes("opset 11;" + head + "{axis=1}", 18, head + "{axis=1, num_outputs=2}"));
  CHECK(becomes("opset 11;" + head + "{axis=1, split=[2,4]}", 18,
                "x: f32[4,6]; a, b = Split(x, i64[2] {2, 4}) {axis=1}"));
  CHECK(keeps("opset 2;" + head, 18));
}

TEST_CASE("Scatter is ScatterElements") {
  const std::string inputs = "x: f32[2,2]; i = i64[1,2] {0, 1}; u = f32[1,2] 5; ";
  CHECK(becomes("opset 9;" + inputs + "y = Scatter(x, i, u) {axis=1}", 13,
                inputs + "y = ScatterElements(x, i, u) {axis=1}"));
}

TEST_CASE("Dropout that was told it is in inference") {
  CHECK(becomes("opset 6; x: f32[2]; y = Dropout(x) {is_test=1, ratio=0.25}", 13,
                "x: f32[2]; y = Dropout(x, f32[] 0.25)"));
  CHECK(refuses("opset 6; x: f32[2]; y = Dropout(x)", 13, "training mode"));
}

TEST_CASE("what a default meant is written where it means another thing") {
  const std::string rois = "x: f32[1,1,4,4]; r: f32[1,4]; i: i64[1]; ";
  CHECK(becomes("opset 10;" + rois + "y = RoiAlign(x, r, i)", 16,
                rois + "y = RoiAlign(x, r, i) {coordinate_transformation_mode=\"output_half_pixel\"}"));
  const std::string grid = "x: f32[1,1,4,4]; g: f32[1,2,2,2]; ";
  CHECK(becomes("opset 16;" + grid + "y = GridSample(x, g)", 20, grid + "y = GridSample(x, g) {mode=\"linear\"}"));
  CHECK(becomes("opset 16;" + grid + "y = GridSample(x, g) {mode=\"bicubic\"}", 20,
                grid + "y = GridSample(x, g) {mode=\"cubic\"}"));
  CHECK(becomes("opset 16;" + grid + "y = GridSample(x, g) {mode=\"nearest\"}", 20,
                grid + "y = GridSample(x, g) {mode=\"nearest\"}"));
  CHECK(becomes("opset 17; x: f32[1,2,8,1]; y = DFT(x) {axis=2}", 20, "x: f32[1,2,8,1]; y = DFT(x, _, i64[] 2)"));
  CHECK(becomes("opset 17; x: f32[1,8,1]; y = DFT(x)", 20, "x: f32[1,8,1]; y = DFT(x, _, i64[] 1)"));
}

TEST_CASE("broadcasting need not be asked for any longer") {
  const std::string inputs = "x: f32[2,3]; c = f32[3] {1, 2, 3}; ";
  CHECK(becomes("opset 6;" + inputs + "y = Add(x, c) {broadcast=1}", 13, inputs + "y = Add(x, c)"));
  CHECK(becomes("opset 6;" + inputs + "y = Gemm(x, x, c) {broadcast=1, transB=1}", 13,
                inputs + "y = Gemm(x, x, c) {transB=1}"));
  CHECK(refuses("opset 6; x: f32[2,3]; c = f32[2] 1; y = Mul(x, c) {broadcast=1, axis=0}", 13,
                "the attribute was removed"));
}

TEST_CASE("a slope for all channels is one still") {
  CHECK(becomes("opset 6; x: f32[1,2,3]; y = PRelu(x, f32[1] 2)", 13, "x: f32[1,2,3]; y = PRelu(x, f32[1] 2)"));
}

TEST_CASE("the mask of Dropout goes where nothing reads it") {
  CHECK(becomes("opset 7; x: f32[2]; y, m = Dropout(x); return y", 10, "x: f32[2]; y = Dropout(x)"));
  CHECK(refuses("opset 7; x: f32[2]; y, m = Dropout(x)", 10, "another dtype"));
}

TEST_CASE("what means another thing is refused") {
  CHECK(refuses("opset 6; x: f32[1,2,3]; s = f32[2] 1; y = PRelu(x, s)", 7, "have another meaning"));
  CHECK(refuses("opset 18; x: f32[1,4,3]; s = f32[2] 1; y = GroupNormalization(x, s, s) {num_groups=2}", 21,
                "have another meaning"));
}
