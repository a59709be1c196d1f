// Weights and activations of ranges that real models bring, through the whole pipeline.
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "quantize/whole_pipeline.hpp"

using namespace graft;

namespace {

const std::string conv = "; b = f32[2] {1, -1}; y = Relu(Conv(h, w, b))";
const std::string raised = "the scale of its weight was raised, its bias would have overflowed int32";

/// A Conv of this weight behind these nodes, in integers, with every scale a normal number.
Whole check_conv(const std::string& before, const std::string& weight, Placement placement) {
  Whole whole = quantize_whole(graph("x: f32[1,2,4,4]; h = " + before + "; w = f32[2,2,1,1] " + weight + conv),
                               placement);
  INFO(before << " " << weight << ": " << whole.notes() << whole.findings());
  CHECK(whole.abnormal_scales().empty());
  CHECK(verify(whole.model).empty());
  CHECK_FALSE(whole.audit.has_errors());
  CHECK(whole.audit.of("Conv").fused() == 1);
  CHECK(whole.error < 0.02);
  return whole;
}

bool notes(const Whole& whole, const std::string& text) { return whole.notes().find(text) != std::string::npos; }

}  // namespace

TEST_CASE("weights that are all zero, dead in one channel, denormal or huge leave normal scales", "[quantize]") {
  for (const Placement placement : both_placements) {
    for (const char* const weight : {"0", "{0, 0, 1, -0.5}", "{1e-30, 0, 1, -0.5}"})
      check_conv("Identity(x)", weight, placement);
    for (const char* const weight : {"{1e-42, 1e-43, 1, -0.5}", "{1e-8, -1e-9, 2e-9, 1e-8}"})
      CHECK(notes(check_conv("Identity(x)", weight, placement), raised));
    const Whole huge =
        quantize_whole(graph("x: f32[1,2,4,4]; y = Relu(Conv(x, f32[2,2,1,1] {1e38, 1e38, 1, -0.5}))"), placement);
    CHECK(huge.abnormal_scales().empty());
    CHECK(huge.error < 0.02);
  }
}

TEST_CASE("activations of one point, huge and denormal ones leave normal scales", "[quantize]") {
  for (const Placement placement : both_placements) {
    check_conv("Mul(x, f32[] 0)", "{0.01, 0.1, 1, -0.5}", placement);
    check_conv("Add(Mul(x, f32[] 0), f32[] 7)", "{0.01, 0.1, 1, -0.5}", placement);
    check_conv("Mul(x, f32[] 1e38)", "{0.01, 0.1, 1, -0.5}", placement);
    check_conv("Mul(x, f32[] 3.4e38)", "{0.01, 0.1, 0.1, -0.05}", placement);
    CHECK(notes(check_conv("Mul(x, f32[] 1e-42)", "{0.01, 0.1, 1, -0.5}", placement), raised));
  }
}

TEST_CASE("what is denormal throughout becomes zeros, with normal scales", "[quantize]") {
  for (const Placement placement : both_placements) {
    const std::string text = "x: f32[1,2,4,4]; y = Relu(Conv(x, f32[2,2,1,1] {1e-42, 1e-43, 1e-42, 1e-43}))";
    const Whole whole = quantize_whole(graph(text), placement);
    CHECK(whole.abnormal_scales().empty());
    const Feeds feeds = detail::random_feeds(whole.model.graph(), {}, 1, 1);
    for (const float value : Evaluator(whole.model.graph()).run(feeds)[0].to<float>()) CHECK(value == 0);
  }
}

TEST_CASE("a mask that is added or chosen keeps attention in float, and products in integers", "[quantize]") {
  const std::string scores = "x: f32[2,4,4]; m: bool[2,1,4]; s = MatMul(x, f32[4,4] random); ";
  const std::string weighed = "y = Softmax(joined) {axis=-1}; z = MatMul(y, x); return z";
  struct Case {
    std::string mask, join;
  };
  for (const Case& test : {Case{"joined = Add(s, f32[1,4] {0, 0, -10000, -10000})", "Add"},
                           Case{"joined = Add(s, f32[1,4] {0, 0, -3.4028235e38, -3.4028235e38})", "Add"},
                           Case{"joined = Add(Mul(Sub(f32[] 1, Cast(m) {to=1}), f32[] -10000), s)", "Add"},
                           Case{"joined = Add(s, Where(m, f32[] 0, f32[] -inf))", "Add"},
                           Case{"joined = Where(m, s, f32[] -1e9)", "Where"},
                           Case{"joined = Where(m, s, f32[] -inf)", "Where"},
                           Case{"joined = Reshape(Where(m, s, f32[] -1e9), i64[3] {2, 4, 4})", "Where"}}) {
    const Whole whole = quantize_whole(graph(scores + test.mask + "; " + weighed), Placement::all_supported);
    INFO(test.mask << "\n" << whole.notes() << whole.findings());
    CHECK(whole.error < 0.02);
    CHECK_FALSE(whole.audit.has_errors());
    CHECK(whole.audit.of("MatMul").fused() == 2);
    CHECK(whole.audit.of(test.join).fused() == 0);
    CHECK(whole.audit.of("Softmax").fused() == 0);
    const bool is_infinite = test.mask.find("inf") != std::string::npos;
    const bool is_told = is_infinite
                             ? notes(whole, "its inputs are constant") || notes(whole, "not finite")
                             : notes(whole, "of tensors on one scale the narrowest would lie within a step");
    CHECK(is_told);
    CHECK(notes(whole, "'y' stays in float: "));
  }
}

TEST_CASE("scores of a range that a Softmax cannot take in steps stay in float", "[quantize]") {
  const auto softmax = [](const std::string& factor) {
    const std::string scores = "x: f32[2,4]; s = Mul(x, f32[] " + factor + "); ";
    return quantize_whole(graph(scores + "y = Softmax(Reshape(s, i64[2] {4, 2}))"), Placement::all_supported);
  };
  const Whole wide = softmax("1000"), narrow = softmax("10");
  CHECK(wide.error == 0);
  CHECK(ops(wide.model.graph()) == "Mul Reshape Softmax");
  CHECK(notes(wide, "'s' stays in float: the steps of what a Softmax reads would be wider than 1"));
  CHECK(notes(wide, "'y' stays in float: the steps"));
  CHECK(narrow.audit.fused() == 3);
}

TEST_CASE("tensors of different magnitude are not joined on one scale, unless a product reads them", "[quantize]") {
  const std::string boxes = "x: f32[1,2,4]; box = Mul(x, f32[] 640); score = Sigmoid(x); ";
  const Whole whole = quantize_whole(graph(boxes + "y = Concat(box, score) {axis=1}"), Placement::all_supported);
  CHECK(whole.audit.of("Concat").fused() == 0);
  CHECK(whole.audit.of("Sigmoid").fused() == 1);
  CHECK(notes(whole, "'y' stays in float: of tensors on one scale"));
  const Feeds feeds = detail::random_feeds(whole.model.graph(), {}, 1, 1);
  const auto results = Evaluator(whole.model.graph()).run(feeds)[0].to<float>();
  CHECK(results[8] == Approx(1 / (1 + std::exp(-results[0] / 640))).margin(0.01));

  const Whole read = quantize_whole(graph(boxes + "y = MatMul(Concat(box, score) {axis=1}, f32[4,2] random)"),
                                    Placement::all_supported);
  CHECK(read.audit.of("Concat").fused() == 1);
  // One that is constant on all samples has nothing to lose.
  const Whole still =
      quantize_whole(graph("x: f32[1,2,4]; y = Concat(Mul(x, f32[] 640), Relu(Mul(x, f32[] 0))) {axis=1}"),
                     Placement::all_supported);
  CHECK(still.audit.of("Concat").fused() == 1);
}
