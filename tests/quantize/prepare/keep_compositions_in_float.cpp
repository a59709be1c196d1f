#include <graft/quantize/prepare/keep_compositions_in_float.hpp>

#include <cstddef>
#include <string>

#include <catch2/catch.hpp>

#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

constexpr Target target = targets::ort_cpu_x64;

const std::string normalization =
    "d = Sub(x, ReduceMean(x) {axes=[-1]}); "
    "n = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Pow(d, f32[] 2)) {axes=[-1]}, f32[] 0.001))), s), b); ";
const std::string attention =
    "scores = Div(MatMul(n, Transpose(n) {perm=[0,2,1]}), f32[] 2); "
    "y = MatMul(Softmax(Add(scores, mask)) {axis=-1}, MatMul(n, w))";

/// How many of these operators the pass keeps in float.
std::size_t kept(const std::string& text) {
  Model model = graph(text);
  for (Node& node : model.graph().nodes()) model.graph().rename(node, "");
  return keep_compositions_in_float().run(model).changes;
}

}  // namespace

TEST_CASE("a layer normalization is kept in float as a whole", "[quantize]") {
  const std::string head = "x: f32[2,3,4]; s = f32[4] random; b = f32[4] random; ";
  CHECK(kept(head + normalization + "y = Relu(n)") == 9);
  CHECK(kept(head + "y = Add(Mul(x, s), b)") == 0);
}

TEST_CASE("a Gelu is kept in float as a whole, by Erf and by Tanh", "[quantize]") {
  const std::string head = "v: f32[2,4]; w = f32[4,4] random; x = MatMul(v, w); ";
  CHECK(kept(head + "y = Mul(Mul(x, f32[] 0.5), Add(Erf(Div(x, f32[] 1.41421356)), f32[] 1))") == 5);
  CHECK(kept(head + "c = Mul(Pow(x, f32[] 3), f32[] 0.044715); t = Tanh(Mul(Add(x, c), f32[] 0.7978846)); "
                    "y = Mul(Mul(x, f32[] 0.5), Add(t, f32[] 1))") == 8);
  CHECK(kept(head + "y = Mul(Erf(x), f32[] 0.5)") == 0);
}

TEST_CASE("the sum before a normalization is kept with it, and the biases of that", "[quantize]") {
  const std::string head = "v: f32[2,3,4]; w = f32[4,4] random; s = f32[4] random; b = f32[4] random; ";
  const std::string sum = "x = Add(Add(MatMul(v, w), b), v); ";
  CHECK(kept(head + sum + normalization + "y = Relu(n)") == 11);
  CHECK(kept(head + sum + "y = LayerNormalization(x, s, b)") == 2);
  CHECK(kept(head + "p = Add(MatMul(v, w), b); x = Add(p, v); n = LayerNormalization(x, s, b); y = Mul(n, p)") == 1);
}

TEST_CASE("the bias before a Gelu is kept with it where nothing else reads it", "[quantize]") {
  const std::string head = "v: f32[2,4]; w = f32[4,4] random; b = f32[4] random; x = Add(b, MatMul(v, w)); ";
  const std::string by_erf = "g = Mul(Mul(x, f32[] 0.5), Add(Erf(Div(x, f32[] 1.41421356)), f32[] 1)); ";
  CHECK(kept(head + by_erf + "y = Relu(g)") == 6);
  CHECK(kept(head + by_erf + "y = Add(g, Relu(x))") == 5);
  CHECK(kept("opset 20; " + head + "y = Gelu(x)") == 2);
}

TEST_CASE("a Softmax is kept in float with the scale and mask before it where a MatMul reads it", "[quantize]") {
  const std::string head = "n: f32[2,3,4]; mask: f32[1,1,3]; w = f32[4,4] random; ";
  CHECK(kept(head + attention) == 3);
  CHECK(kept(head + "y = Softmax(MatMul(n, w)) {axis=-1}") == 0);
}

TEST_CASE("what is kept with a composition says so where it is not quantized", "[quantize]") {
  Model model = graph("x: f32[2,3,4]; s = f32[4] random; b = f32[4] random; v = f32[4] random; "
                      "y = LayerNormalization(Add(x, v), s, b)");
  const Pass quantize = inject_qdq(Ranges{}, target, Placement::all_supported);
  const Report report = (keep_compositions_in_float() | quantize).run(model);
  REQUIRE(report.steps[1].notes.size() == 1);
  CHECK_THAT(report.steps[1].notes[0], Catch::EndsWith("stays in float: runtimes fuse it with other nodes in float"));
}

TEST_CASE("products are computed in integers between what is kept in float", "[quantize]") {
  Model model = graph("x: f32[2,3,4]; mask: f32[1,1,3]; s = f32[4] random; b = f32[4] random; w = f32[4,4] random; " +
                      normalization + attention);
  Ranges ranges{{"x", {-2, 2}}};
  for (const Node& node : model.graph().nodes())
    for (const Value& output : node.outputs()) ranges.set(output.name(), {-2, 2});
  (keep_compositions_in_float() | inject_qdq(ranges, target, Placement::all_supported) |
   quantize_weights(Granularity::per_tensor, target)).run(model);
  const Audit products = audit(model.graph(), target).of("MatMul");
  CHECK(products.findings.size() == 3);
  CHECK(products.fused() == 3);
  for (const Node& node : model.graph().nodes()) {
    if (!node.is("Softmax") && !node.is("Sqrt") && !node.is("Div")) continue;
    const Node* const before = node.input(0)->producer();
    CHECK((before != nullptr && !is_dequantize(*before)));
  }
}
