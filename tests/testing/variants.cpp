#include <graft/testing/variants.hpp>

#include <catch2/catch.hpp>

#include "testing/words.hpp"

using namespace words;

namespace {

Variant::Outcome outcome(const VariantReport& report, std::string_view name) {
  const Variant* const found = report.find(name);
  INFO(name);
  REQUIRE(found != nullptr);
  return found->outcome;
}

constexpr auto refused = Variant::Outcome::refused;
constexpr auto kept = Variant::Outcome::equivalent;
constexpr auto failed = Variant::Outcome::failed;

Computed scaled(const Tensor& weights, const Tensor& by) {
  if (by.size() != 1) return {};
  std::vector<float> values = weights.to<float>();
  for (float& value : values) value *= by.item<float>();
  return Tensor::of(weights.dims(), values);
}
/// Right in every respect.
inline constexpr auto scale_into_conv = rule<"scale-into-conv">(comm<"Mul">(op<"Conv">(x, w).as(conv), c),
                                                                conv(x, tensor<scaled>(w, c)));

constexpr std::string_view scaled_conv =
    "x: f32[1,2,N,4]; w = f32[3,2,1,1] random; s = f32[] 2; h = Conv(x, w); y = Mul(h, s)";

}  // namespace

TEST_CASE("a right rule passes, each case refused or equivalent") {
  const VariantReport report = variants(scale_into_conv, scaled_conv);
  CHECK(report);
  CHECK(outcome(report, "as given") == kept);
  CHECK(outcome(report, "another consumer of %h") == refused);
  CHECK(outcome(report, "%h as a graph output") == refused);
  CHECK(outcome(report, "capture of %h by an If body") == refused);
  CHECK(outcome(report, "another consumer of %y") == kept);
  CHECK(outcome(report, "another consumer of %w") == kept);
  CHECK(outcome(report, "%w as a graph output") == kept);
  CHECK(outcome(report, "%w as an input that callers may override") == refused);
  CHECK(outcome(report, "%s from a Constant") == kept);
  CHECK(outcome(report, "capture of %s by an If body") == kept);
  CHECK(outcome(report, "the operands of %y exchanged") == kept);
  CHECK(outcome(report, "a node behind output %y") == kept);
  CHECK(outcome(report, "pads=[1,1,1,1] at %h") == kept);
  CHECK(outcome(report, "strides=[2,2] at %h") == kept);
  CHECK(outcome(report, "auto_pad=\"SAME_UPPER\" at %h") == kept);
  CHECK(outcome(report, "opset 11") == kept);
  CHECK(outcome(report, "inside the branches of an If") == kept);
  CHECK(shown(report).find(" 0 failed") != std::string::npos);
  CHECK(to_string(report).find("another consumer of %h: refused, ") != std::string::npos);
}

TEST_CASE("a case names the reason of its refusal") {
  const VariantReport report = variants(scale_into_conv, scaled_conv);
  CHECK(report.find("%h as a graph output")->why.find("is a graph output") != std::string::npos);
}

TEST_CASE("a rule that never fires fails") {
  const VariantReport report = variants(scale_into_conv, "x: f32[2]; s = f32[] 2; y = Mul(x, s)");
  CHECK_FALSE(report);
  CHECK(report.count(failed) == 0);
  CHECK(report.message().find("nothing was ever rewritten") != std::string::npos);
}

TEST_CASE("a rule that refuses the graph as given fails, and says why") {
  // Only exchanged operands match.
  static constexpr auto one_order = rule<"one-order">(op<"Mul">(c, op<"Conv">(x, w).as(conv)),
                                                      conv(x, tensor<scaled>(w, c)));
  const VariantReport report = variants(one_order, scaled_conv);
  CHECK(report.count(kept) != 0);
  CHECK(report.count(failed) == 0);
  CHECK_FALSE(report);
  CHECK(report.message().find("the graph as given is refused: ") != std::string::npos);
}

TEST_CASE("a wrong rule fails as given, and shows before and after") {
  const VariantReport report = variants(relu_to_neg, "x: f32[4]; y = Relu(x)");
  CHECK_FALSE(report);
  CHECK(outcome(report, "as given") == failed);
  CHECK(report.message().find("given graph graph(%x : f32[4])") != std::string::npos);
  CHECK(report.message().find("it became graph") != std::string::npos);
}

TEST_CASE("an attribute that the pattern should have looked at is varied") {
  static constexpr auto transposes = rule<"transposes">(op<"Transpose">(op<"Transpose">(x).with(perm)).with(perm), x);
  CHECK(variants(transposes, "x: f32[2,3]; y = Transpose(Transpose(x) {perm=[1,0]}) {perm=[1,0]}"));
  const VariantReport report = variants(transposes,
                                        "x: f32[3,3,3]; y = Transpose(Transpose(x) {perm=[2,1,0]}) {perm=[2,1,0]}");
  CHECK(outcome(report, "perm=[1,2,0] at every Transpose") == failed);
}

TEST_CASE("floats are of other widths too, where the operators take them") {
  const VariantReport right = variants(relu_relu, "x: f32[2,3]; w = f32[3] random; y = Relu(Relu(Add(x, w)))");
  CHECK(outcome(right, "floats as f64") == kept);
  CHECK(outcome(right, "floats as f16") == kept);
  CHECK(variants(relu_relu, "opset 14; x: i32[2]; y = Relu(Relu(x))").find("floats as f64") == nullptr);
  const VariantReport f32_only = variants(
      relu_relu, "opset 17; x: f32[2]; h = Relu(Relu(x)); y = QuantizeLinear(h, f32[] 1)");
  CHECK(f32_only.find("floats as f16") == nullptr);
}

TEST_CASE("f32 is made of whatever was there") {
  // By a rule: the node that would read it is declined.
  const VariantReport narrow = variants(scale_into_conv, scaled_conv);
  CHECK(outcome(narrow, "floats as f64") == refused);
  CHECK(narrow.find("floats as f64")->why.find("does not take f32 as its input 1 beside f64") != std::string::npos);
  // By hand, which nothing guards.
  const auto casts = pass("casts", [](Graph& graph, Context&) {
    if (graph.nodes().size() != 1) return;
    Node& relu = *graph.first_node();
    Node& cast = graph.insert("Cast", {relu.input(0)}, 1, {{"to", std::int64_t{1}}}, &relu);
    REQUIRE(graph.set_input(relu, 0, cast.output(0)));
  });
  const VariantReport report = variants(casts, "x: f32[2]; y = Relu(x)");
  CHECK(outcome(report, "as given") == kept);
  CHECK(outcome(report, "floats as f64") == failed);
  CHECK(outcome(report, "floats as f16") == failed);
}

TEST_CASE("absent operands, axes from the other end") {
  const VariantReport clip = variants(relu_relu, "x: f32[2,3]; y = Relu(Relu(Clip(x, f32[] -1, f32[] 1)))");
  CHECK(outcome(clip, "%Clip_1 without input min") == kept);
  CHECK(outcome(clip, "%Clip_1 without input max") == kept);
  const VariantReport axes = variants(relu_relu,
                                      "x: f32[2,3]; y = Relu(Relu(Unsqueeze(Softmax(x) {axis=1}, i64[1] 0)))");
  CHECK(outcome(axes, "axis of %Softmax_1 from the other end") == kept);
  CHECK(outcome(axes, "axes of %Unsqueeze_1 from the other end") == kept);
}

TEST_CASE("litter and restlessness fail") {
  const auto leaves = pass("leaves", [](Graph& graph, Context&) {
    if (graph.nodes().size() == 1) graph.insert("Abs", {graph.inputs()[0]});
  });
  CHECK(
      variants(leaves, "x: f32[4]; y = Relu(x)").find("as given")->why.find("it leaves behind a node without effect") ==
      0);
  const auto restless = pass("restless", [](Graph& graph, Context&) {
    graph.rename(*graph.first_node(), graph.first_node()->name() == "a" ? "b" : "a");
  });
  CHECK(variants(restless, "x: f32[4]; y = Relu(x)").find("as given")->why.find("a second run") == 0);
}

TEST_CASE("passes, models and trials are taken") {
  CHECK(variants(fixpoint(relu_relu), "x: f32[2]; y = Relu(Relu(x))"));
  CHECK(variants(relu_relu, graph("x: f32[2]; y = Relu(Relu(x))")));
  CHECK(variants(given("x: f32[2]; y = Relu(Relu(x))").rule(relu_relu), {.inputs = 5}));
}

TEST_CASE("kinds of cases are left out by name, with a reason") {
  constexpr std::string_view g = "x: f32[2]; y = Relu(Relu(x))";
  const VariantReport report = variants(relu_relu, g, {}, {.leave_out = {{"dtypes", "f16 overflows"}}});
  CHECK(report);
  CHECK(report.find("floats as f16") == nullptr);
  CHECK(outcome(report, "dtypes") == Variant::Outcome::left_out);
  CHECK(report.message().find("left out: dtypes, f16 overflows\n") != std::string::npos);
  CHECK(error_of([&] { static_cast<void>(variants(relu_relu, g, {}, {.leave_out = {{"types", "none"}}})); }) ==
        "variants: there is no kind of cases 'types' to leave out");
  CHECK(error_of([&] { static_cast<void>(variants(relu_relu, g, {}, {.leave_out = {{"uses", ""}}})); }) ==
        "variants: 'uses' is left out without a reason");
}
