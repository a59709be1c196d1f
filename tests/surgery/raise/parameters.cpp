#include <graft/surgery/detail/raise_step.hpp>

#include <catch2/catch.hpp>
#include <graft/surgery/raise_opset.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult becomes(const std::string& text, int opset, const std::string& wanted) {
  return given(text).pass(raise_opset(opset)).becomes("opset " + std::to_string(opset) + "; " + wanted);
}
TestResult refuses(const std::string& text, int opset, std::string_view reason) {
  return given(text).pass(raise_opset(opset)).refuses(reason);
}

}  // namespace

TEST_CASE("attributes that became inputs become constants") {
  CHECK(becomes("opset 6; x: f32[2,3]; y = Clip(x) {min=0.0, max=6.0}", 13,
                "x: f32[2,3]; y = Clip(x, f32[] 0, f32[] 6)"));
  CHECK(becomes("opset 6; x: f32[2,3]; y = Clip(x) {max=6.0}", 13, "x: f32[2,3]; y = Clip(x, _, f32[] 6)"));
  CHECK(becomes("opset 12; x: f32[1,3]; y = Squeeze(x) {axes=[0]}", 13, "x: f32[1,3]; y = Squeeze(x, i64[1] 0)"));
  CHECK(becomes("opset 12; x: f32[3]; y = Unsqueeze(x) {axes=[0]}", 13, "x: f32[3]; y = Unsqueeze(x, i64[1] 0)"));
  CHECK(becomes("opset 9; x: f32[4,3]; y = Slice(x) {starts=[1], ends=[3], axes=[0]}", 13,
                "x: f32[4,3]; y = Slice(x, i64[1] 1, i64[1] 3, i64[1] 0)"));
  CHECK(becomes("opset 11; x: f32[2,3]; y = ReduceSum(x) {axes=[1], keepdims=0}", 13,
                "x: f32[2,3]; y = ReduceSum(x, i64[1] 1) {keepdims=0}"));
  CHECK(becomes("opset 11; x: f32[4,3]; y = Dropout(x) {ratio=0.25}", 13, "x: f32[4,3]; y = Dropout(x, f32[] 0.25)"));
  CHECK(
      becomes("opset 4; x: f32[2,3]; y = Reshape(x) {shape=[3,2]}", 13, "x: f32[2,3]; y = Reshape(x, i64[2] {3, 2})"));
  CHECK(becomes("opset 9; x: f32[9]; y, i = TopK(x) {k=2}", 13, "x: f32[9]; y, i = TopK(x, i64[1] 2)"));
}

TEST_CASE("an input that was renamed on its way") {
  CHECK(becomes("opset 10; x: f32[2,3]; y = Pad(x) {pads=[0,1,0,1], value=2.0}", 13,
                "x: f32[2,3]; y = Pad(x, i64[4] {0,1,0,1}, f32[] 2)"));
}

TEST_CASE("the new constant is of the dtype of what it bounds") {
  CHECK(becomes("opset 6; x: f16[2]; y = Clip(x) {min=0.0, max=6.0}", 13, "x: f16[2]; y = Clip(x, f16[] 0, f16[] 6)"));
  CHECK(becomes("opset 6; x: f64[2]; y = Clip(x) {min=0.5}", 13, "x: f64[2]; y = Clip(x, f64[] 0.5)"));
}

TEST_CASE("equal constants are one") {
  Model model = graph("opset 6; x: f32[2]; y = Clip(Clip(x) {min=0.0, max=6.0}) {min=0.0, max=6.0}");
  raise_opset(model, 13);
  CHECK(model.graph().initializers().size() == 2);
}

TEST_CASE("a default that changed is written out") {
  CHECK(becomes("opset 3; x: f32[2,3]; y = Concat(x, x)", 13, "x: f32[2,3]; y = Concat(x, x) {axis=1}"));
}

TEST_CASE("an attribute that is gone may only have its default") {
  CHECK(becomes("opset 8; x: f32[1,2,3]; s = f32[2] 1; y = BatchNormalization(x, s, s, s, s) {spatial=1}", 13,
                "x: f32[1,2,3]; s = f32[2] 1; y = BatchNormalization(x, s, s, s, s)"));
  CHECK(refuses("opset 8; x: f32[1,2,3]; s = f32[2] 1; y = BatchNormalization(x, s, s, s, s) {spatial=0}", 13,
                "spatial"));
  CHECK(becomes("opset 6; x: f32[2]; y = Add(x, x) {broadcast=0}", 13, "x: f32[2]; y = Add(x, x)"));
  CHECK(refuses("opset 6; x: f32[2,3]; c = f32[2] 1; y = Add(x, c) {broadcast=1, axis=0}", 13,
                "the attribute was removed"));
}

TEST_CASE("what never said what to compute is dropped") {
  CHECK(becomes("opset 1; x: f32[2]; y = Relu(x) {consumed_inputs=[0]}", 13, "x: f32[2]; y = Relu(x)"));
}

TEST_CASE("an attribute of another type is refused") {
  CHECK(refuses("opset 1; x: f32[1,2,3]; y = GlobalLpPool(x) {p=2.0}", 13, "another type"));
  CHECK(becomes("opset 1; x: f32[1,2,3]; y = GlobalLpPool(x)", 13, "x: f32[1,2,3]; y = GlobalLpPool(x)"));
}
