#include <graft/vocabulary/channel_front.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

namespace {

const Value& value(const Model& model, const char* name) { return *model.graph().find(name); }

Verdict folds(const std::string& text) {
  const Model model = graph(text);
  return folds_evenly(*model.graph().find("y")->producer());
}

const std::string matrix = "w = f32[3,2] {1, -1, 0.5, 1, -1, 0.8};";

}  // namespace

TEST_CASE("the front of a value is one factor and one shift for each channel") {
  const Model model = graph(
      "x: f32[1,2,3,3]; a = Mul(f32[2,1,1] {2, 4}, x); b = Sub(a, f32[] 3); c = Div(b, f32[] 2);"
      "r = Relu(x); d = Add(r, f32[1,2,1,1] {1, 2})");
  const ChannelFront front = channel_front(value(model, "c"));
  CHECK(front.factors == std::vector<double>{1, 2});
  CHECK(front.shifts == std::vector<double>{-1.5, -1.5});
  CHECK(front.axis_from_last == 2);
  CHECK(front.has_factor);
  CHECK(front.x == &value(model, "x"));
  const ChannelFront shift = channel_front(value(model, "d"));
  CHECK(shift.shifts == std::vector<double>{1, 2});
  CHECK_FALSE(shift.has_factor);
  CHECK(shift.x == &value(model, "r"));
  CHECK(channel_front(value(model, "r")).factors == std::vector<double>{1});
}

TEST_CASE("a front ends where its channels lie along another axis") {
  const Model model = graph("x: f32[1,2,2]; a = Mul(x, f32[2] {2, 4}); b = Mul(a, f32[2,1] {3, 5})");
  const ChannelFront front = channel_front(value(model, "b"));
  CHECK(front.factors == std::vector<double>{3, 5});
  CHECK(front.x == &value(model, "a"));
}

TEST_CASE("a BatchNormalization says what its channels are like") {
  const Model model = graph(
      "x: f32[1,2,3]; n = BatchNormalization(x, f32[2] {1, 2}, f32[2] {0, 1}, f32[2] {100, 0},"
      "f32[2] {4, 25}) {epsilon=0.0}; y = Mul(n, f32[] 10)");
  const ChannelFront front = channel_front(value(model, "y"));
  CHECK(front.factors == std::vector<double>{5, 4});
  CHECK(front.shifts == std::vector<double>{-500, 10});
  CHECK(front.means == std::vector<double>{0, 10});
  CHECK(front.deviations == std::vector<double>{10, 20});
  const ChannelSpread before = spread_before(front, spread_behind(front, 2));
  CHECK(before.means == std::vector<double>{100, 0});
  CHECK(before.deviations == std::vector<double>{2, 5});
  CHECK(before.width() == 106 + 15);
}

TEST_CASE("what spreads a weight or its input is not folded into it") {
  CHECK(folds("x: f32[4,3]; f = Mul(x, f32[3] {1, 2, 1.5});" + matrix + "y = Gemm(f, w)"));
  CHECK_FALSE(folds("x: f32[4,3]; f = Mul(x, f32[3] {1, 100, 1});" + matrix + "y = Gemm(f, w)"));
  CHECK_FALSE(folds("x: f32[4,3]; f = Div(x, f32[3] {1, 0.01, 1});" + matrix + "y = Gemm(f, w)"));
  // a weight of one input for each output rounds as well with any factor, but its input has one scale
  CHECK_FALSE(
      folds("x: f32[1,3,4,4]; f = Mul(x, f32[3,1,1] {1, 100, 1}); w = f32[3,1,1,1] {1, 1, 1};"
            "y = Conv(f, w) {group=3}"));
}

TEST_CASE("a shift beyond what is normal is not folded either") {
  const std::string scaled = "x: f32[4,3]; a = Sub(x, f32[3] {300, 2020, 0}); f = Div(a, f32[3] {2, 2, 2});";
  CHECK_FALSE(folds(scaled + matrix + "y = Gemm(f, w)"));
  CHECK_FALSE(
      folds("x: f32[4,3]; a = Mul(x, f32[] 0.5); f = Add(a, f32[3] {-150, 1010, 0});" + matrix + "y = Gemm(f, w)"));
}

TEST_CASE("shifts of an input without a factor are folded if they are alike") {
  const std::string far = "x: f32[4,3]; f = Sub(x, f32[3] {300, 2020, 0});", w = matrix + "y = Gemm(f, w)";
  CHECK_FALSE(folds(far + w));
  CHECK(folds("x: f32[4,3]; f = Sub(x, f32[3] {124, 117, 104});" + w));
  CHECK(folds("x: f32[4,3]; f = Sub(x, f32[] 2020);" + w));
  CHECK_FALSE(folds("a: f32[3,4]; x = Transpose(a); f = Sub(x, f32[3] {300, 2020, 0});" + w));
  // behind another layer shifts are learned
  CHECK(folds("a: f32[4,3]; x = Relu(a); f = Add(x, f32[3] {0.1, -0.2, 0});" + w));
}

TEST_CASE("an image's mean and deviation are folded") {
  CHECK(
      folds("x: f32[1,3,4,4]; a = Div(x, f32[] 255); b = Sub(a, f32[3,1,1] {0.485, 0.456, 0.406});"
            "f = Div(b, f32[3,1,1] {0.229, 0.224, 0.225}); w = f32[2,3,1,1] {1, -0.5, 0.25, 0.3, 1, -0.7};"
            "y = Conv(f, w)"));
  CHECK(
      folds("x: f32[1,3,4,4]; a = Mul(x, f32[3,1,1] {4.37, 4.46, 4.44}); f = Add(a, f32[3,1,1] {-2.1, -2, -1.8});"
            "w = f32[2,3,1,1] {1, -0.5, 0.25, 0.3, 1, -0.7}; y = Conv(f, w)"));
}

TEST_CASE("other operators and weights fold") {
  CHECK(folds("x: f32[4,3]; f = Mul(x, f32[3] {1, 100, 1}); y = Relu(f)"));
  CHECK(folds("x: f32[4,3]; w: f32[3,2]; f = Mul(x, f32[3] {1, 100, 1}); y = Gemm(f, w)"));
  CHECK(folds("x: f32[4,3];" + matrix + "y = Gemm(x, w)"));
}
