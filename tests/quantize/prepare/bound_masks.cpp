#include <graft/quantize/prepare/bound_masks.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

/// The constant that the node making a value reads, behind the pass.
std::vector<float> bounded(const std::string& text, const char* value, std::size_t input) {
  Model model = graph(text);
  bound_masks().run(model);
  return model.graph().find(value)->producer()->input(input)->constant()->to<float>();
}

}  // namespace

TEST_CASE("the constant that masks scores is bounded", "[quantize]") {
  const std::string head = "opset 17; s: f32[1,4]; r: f32[1,4]; m: i64[1,4]; c: bool[1,4]; k = f32[] -3.4e38; ";
  // One mask for two layers.
  const std::string layers = "t = Unsqueeze(h, i64[1] 0); a = Add(s, t); y = Softmax(a); z = Softmax(Add(t, r))";
  const std::string of_integers = head + "h = Mul(Sub(f32[] 1, Unsqueeze(Cast(m) {to=f32}, i64[1] 0)), k); ";
  CHECK(bounded(of_integers + layers, "h", 1) == std::vector<float>{-40});
  CHECK(bounded(head + "h = Mul(k, Cast(c) {to=f32}); " + layers, "h", 0) == std::vector<float>{-40});
  CHECK(bounded(head + "h = Where(c, f32[] 0, k); " + layers, "h", 2) == std::vector<float>{-40});
  CHECK(bounded("opset 17; s: f32[1,3]; a = Add(s, f32[3] {0, -1001, 2}); y = Softmax(a)", "a", 1) ==
        std::vector<float>{0, -40, 2});
}

TEST_CASE("a constant stays if it is not a mask, and for its other readers", "[quantize]") {
  const auto stays = [](const std::string& text) {
    INFO(text);
    Model model = graph("opset 17; s: f32[1,3]; m: i64[1,3]; f: f32[1,3]; c: bool[1,3]; k = f32[] -2000; " + text);
    CHECK(bound_masks().run(model).changes == 0);
  };
  stays("y = Softmax(Add(s, f32[3] {0, -999, 2}))");
  stays("y = Softmax(Add(s, f32[3] {-1500, -2000, 2}))");
  stays("y = Softmax(Sub(s, k))");
  stays("y = Sigmoid(Add(s, k))");
  // An Exp ends the search.
  stays("y = Softmax(Exp(Add(s, k)))");
  // A factor need not be a mask, and a later one makes the bound less.
  stays("y = Softmax(Mul(f, k))");
  stays("y = Softmax(Mul(Add(s, k), f32[] 0.01))");
  // A score may be below -40.
  stays("y = Softmax(Where(c, s, k))");
  stays("y = Softmax(Where(c, f32[] -1500, k))");
  // Other readers would see the bound.
  stays("a = Add(s, k); y = Softmax(a); z = Sigmoid(a)");
  stays("a = Add(s, k); y = Softmax(a); return y, a");
  stays("h = Mul(Cast(m) {to=f32}, k); y = Softmax(Add(s, h)); z = Sigmoid(Add(f, h))");
  const std::string shared =
      "opset 17; s: f32[1,3]; k = f32[3] -2000; a = Add(s, k); y = Softmax(a); b = Add(s, k); z = Neg(b)";
  CHECK(bounded(shared, "a", 1)[0] == -40);
  CHECK(bounded(shared, "b", 1)[0] == -2000);
}

TEST_CASE("tensors that a bound changes lose their ranges", "[quantize]") {
  Model model = graph("opset 17; s: f32[1,4]; m: i64[1,4]; h = Mul(Cast(m) {to=f32}, f32[] -2000); "
                      "t = Unsqueeze(h, i64[1] 0); a = Add(s, t); y = Softmax(a)");
  Context context;
  context.facts.provide(Ranges{{"s", {-1, 1}}, {"h", {-2000, 0}}, {"t", {-2000, 0}}, {"a", {-2001, 1}}, {"y", {0, 1}}});
  bound_masks().run(model, context);
  CHECK(*context.facts.find<Ranges>() == Ranges{{"s", {-1, 1}}, {"y", {0, 1}}});
}
