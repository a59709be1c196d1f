#include <graft/quantize/dynamic/quantize_dynamic.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing.hpp>

#include "quantize/nets.hpp"

using namespace graft;

namespace {

const Pass standard = quantize_dynamic(targets::ort_cpu_x64);
const Pass contrib = quantize_dynamic(targets::ort_cpu_x64, {.form = DynamicForm::contrib});

const std::string weight = "opset 13; w = f32[2,3] {1.27, -0.5, 0, 0.3, 0.02, 2}; ";

/// How the sums of products are scaled, in the order that ONNX Runtime fuses.
const std::string product = "opset 13; x: f32[N,2]; q, s, z = DynamicQuantizeLinear(x); "
                            "i = MatMulInteger(q, i8[2,3] {127, -127, 0, 30, 5, 127}, z, i8[] 0); "
                            "f = Cast(i) {to=f32}; "
                            "t = Mul(s, f32[3] {0.01, 0.003937007859349251, 0.01574803143739700}); ";

std::vector<std::string> notes_of(const std::string& text, const Pass& pass = standard) {
  Model model = graph(text);
  const std::string before = model.serialize();
  const Report report = pass.run(model);
  CHECK(report.changes == 0);
  CHECK(model.serialize() == before);
  return report.notes;
}

/// The largest distance between the outputs on made-up inputs, as a part of the largest value.
float distance(const std::string& text, const Pass& pass, const Feeds& feeds) {
  Model model = graph(text);
  const std::vector<float> before = Evaluator(model.graph()).run(feeds)[0].to<float>();
  CHECK(pass.run(model).changes != 0);
  CHECK(verify(model).empty());
  const std::vector<float> after = Evaluator(model.graph()).run(feeds)[0].to<float>();
  REQUIRE(after.size() == before.size());
  float most = 0, largest = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    most = std::max(most, std::abs(after[i] - before[i]));
    largest = std::max(largest, std::abs(before[i]));
  }
  return most / largest;
}

Tensor wave(Dims dims) {
  std::vector<float> values(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(3 * i + 1));
  return Tensor::of<float>(std::move(dims), values);
}

}  // namespace

TEST_CASE("a MatMul by a constant becomes the chain that the runtime fuses", "[dynamic]") {
  CHECK(given(weight + "x: f32[N,2]; y = MatMul(x, w)").pass(standard).becomes(product + "y = Mul(f, t)"));
  Model model = graph(weight + "x: f32[N,2]; y = MatMul(x, w)");
  standard.run(model);
  CHECK(model.graph().find("w") == nullptr);
  CHECK(model.graph().output(0)->name() == "y");
}

TEST_CASE("a Gemm is transposed and scaled beforehand, and its bias is added behind", "[dynamic]") {
  const std::string transposed = "opset 13; w = f32[3,2] {0.635, 0.15, -0.25, 0.01, 0, 1}; b = f32[3] {1, 2, 3}; ";
  CHECK(given(transposed + "x: f32[N,2]; y = Gemm(x, w, b) {transB=1, alpha=2., beta=0.5}")
            .pass(standard)
            .becomes(product + "m = Mul(f, t); y = Add(m, f32[3] {0.5, 1, 1.5})"));
  const std::string rest = "opset 13; w = f32[3,2] random; ";
  CHECK(distance(rest + "x: f32[3,4]; c: f32[4,2]; y = Gemm(x, w, c) {transA=1, alpha=-1.5, beta=2.}", standard,
                 {{"x", wave({3, 4})}, {"c", wave({4, 2})}}) < 0.02F);
  CHECK(distance(rest + "x: f32[4,3]; b = f32[4,1] {1, 2, 3, 4}; y = Gemm(x, w, b)", standard, {{"x", wave({4, 3})}}) <
        0.02F);
  CHECK(distance(rest + "x: f32[4,3]; y = Gemm(x, w)", standard, {{"x", wave({4, 3})}}) < 0.02F);
}

TEST_CASE("activations of any rank, and weights that are batches", "[dynamic]") {
  for (const Pass& pass : {standard, contrib}) {
    CHECK(distance("opset 13; w = f32[3,5] random; x: f32[2,2,4,3]; y = MatMul(x, w)", pass,
                   {{"x", wave({2, 2, 4, 3})}}) < 0.02F);
    CHECK(distance("opset 13; w = f32[2,3,5] random; x: f32[2,4,3]; y = MatMul(x, w)", pass,
                   {{"x", wave({2, 4, 3})}}) < 0.02F);
    CHECK(distance("opset 13; w = f32[3,5] random; x: f32[3]; y = MatMul(x, w)", pass, {{"x", wave({3})}}) < 0.03F);
  }
}

TEST_CASE("a tensor that several read is quantized once, and a weight that several share is stored once", "[dynamic]") {
  Model model = graph("opset 13; v = f32[2,2] random; w = f32[2,2] random; x: f32[N,2]; a = MatMul(x, v); "
                      "b = MatMul(x, w); c = MatMul(b, v); return a, c");
  standard.run(model);
  CHECK(ops(model.graph()) == "DynamicQuantizeLinear MatMulInteger Cast Mul Mul MatMulInteger Cast Mul Mul "
                              "DynamicQuantizeLinear MatMulInteger Cast Mul Mul");
  CHECK(model.graph().initializers().size() == 6);
}

TEST_CASE("the operators of the runtime, on request", "[dynamic]") {
  Model model = graph(weight + "v = f32[2,3] random; x: f32[N,2]; a = MatMul(x, w); b = MatMul(x, v); u: f32[N,2]; "
                               "c = Gemm(u, w, f32[3] {1, 2, 3}); return a, b, c");
  contrib.run(model);
  CHECK(verify(model).empty());
  CHECK(ops(model.graph()) ==
        "DynamicQuantizeLinear MatMulIntegerToFloat MatMulIntegerToFloat DynamicQuantizeMatMul");
  CHECK(node_making(model, "c").input(4)->constant()->to<float>() == std::vector<float>{1, 2, 3});
  CHECK(model.opset("com.microsoft") == 1);
  CHECK(given(weight + "b = f32[3] {1, 2, 3}; x: f32[N,2]; m = MatMul(x, w); y = Add(b, m)")
            .pass(contrib)
            .becomes("opset 13; opset com.microsoft 1; x: f32[N,2]; "
                     "y = com.microsoft::DynamicQuantizeMatMul(x, i8[2,3] {127, -127, 0, 30, 5, 127}, "
                     "f32[3] {0.01, 0.003937007859349251, 0.01574803143739700}, i8[] 0, f32[3] {1, 2, 3})"));
  CHECK(distance(weight + "x: f32[4,2]; y = Gemm(x, w, f32[] 3)", contrib, {{"x", wave({4, 2})}}) < 0.02F);
}

TEST_CASE("a bias that is kept in float stays an Add", "[dynamic]") {
  Model model = graph(weight + "b = f32[3] {1, 2, 3}; x: f32[N,2]; m = MatMul(x, w); y = Add(m, b)");
  Context context;
  (exclude_nodes({NamePattern("y")}) | contrib).run(model, context);
  CHECK(ops(model.graph()) == "DynamicQuantizeMatMul Add");
  CHECK(node_making(model, "y").is("Add"));
}

TEST_CASE("what several read is known where it was a product itself", "[dynamic]") {
  Model model = graph("opset 13; v = f32[2,2] random; w = f32[2,2] random; x: f32[N,2]; a = MatMul(x, v); "
                      "b = MatMul(a, v); c = MatMul(a, w); return b, c");
  contrib.run(model);
  CHECK(ops(model.graph()) ==
        "DynamicQuantizeMatMul DynamicQuantizeLinear MatMulIntegerToFloat MatMulIntegerToFloat");
}

TEST_CASE("weights that several LSTM or Attention share are stored once", "[dynamic]") {
  const Pass pass = quantize_dynamic(targets::ort_cpu_x64, {.attention = true});
  Model lstm = graph("opset 14; w = f32[1,8,3] random; r = f32[1,8,2] random; x: f32[4,1,3]; u: f32[4,1,3]; "
                     "a = LSTM(x, w, r) {hidden_size=2}; b = LSTM(u, w, r) {hidden_size=2}; return a, b");
  CHECK(pass.run(lstm).changes == 2);
  for (const std::size_t i : {1U, 2U, 8U, 9U, 10U, 11U})
    CHECK(node_making(lstm, "a").input(i) == node_making(lstm, "b").input(i));
  Model attention = graph("opset 14; opset com.microsoft 1; w = f32[4,12] random; c = f32[12] random; "
                          "x: f32[1,3,4]; u: f32[1,3,4]; "
                          "a = com.microsoft::Attention(x, w, c) {num_heads=2}; "
                          "b = com.microsoft::Attention(u, w, c) {num_heads=2}; return a, b");
  CHECK(pass.run(attention).changes == 2);
  for (const std::size_t i : {1U, 4U, 7U})
    CHECK(node_making(attention, "a").input(i) == node_making(attention, "b").input(i));
}

TEST_CASE("forms of weights", "[dynamic]") {
  const std::string text = weight + "x: f32[N,2]; y = MatMul(x, w)";
  const auto weights = [&](const Target& target, const DynamicOptions& options) {
    Model model = graph(text);
    quantize_dynamic(target, options).run(model);
    for (const Node& node : model.graph().nodes())
      if (node.is("MatMulInteger")) return node.input(1)->constant()->to<int>();
    return std::vector<int>();
  };
  CHECK(weights(targets::ort_cpu_x64, {.weights = Granularity::per_tensor}) ==
        std::vector<int>{81, -32, 0, 19, 1, 127});
  CHECK(weights(targets::ort_cpu_avx2, {.weights = Granularity::per_tensor}) ==
        std::vector<int>{40, -16, 0, 9, 1, 63});
  CHECK(weights(targets::ort_cpu_x64, {.weights = Granularity::per_tensor, .weight_dtype = DType::u8}) ==
        std::vector<int>{209, 96, 128, 147, 129, 255});
  CHECK_THROWS_WITH(quantize_dynamic(targets::ort_cpu_x64, {.weight_dtype = DType::i16}),
                    Catch::Contains("int8 or uint8"));
}

TEST_CASE("what stays in float, and why", "[dynamic]") {
  using Notes = std::vector<std::string>;
  CHECK(notes_of("opset 13; x: f32[2,2]; u: f32[2,2]; y = MatMul(x, u)") ==
        Notes{"'y' stays in float: no operand is constant"});
  CHECK(notes_of("opset 13; x: f32[2,2]; w = f32[2,2] 1; y = MatMul(w, x)") ==
        Notes{"'y' stays in float: its constant is the first operand"});
  CHECK(notes_of("opset 13; x: f32[2,2]; w = f32[2] 1; y = MatMul(x, w)") ==
        Notes{"'y' stays in float: its weight is a vector"});
  CHECK(notes_of("opset 13; x: f16[2,2]; w = f16[2,2] 1; y = MatMul(x, w)") ==
        Notes{"'y' stays in float: its weight is not of float32"});
  CHECK(notes_of("opset 13; x: f32[2,2]; w: f32[2,2] = 1; y = MatMul(x, w)") ==
        Notes{"'y' stays in float: no operand is constant"});
  CHECK(notes_of("opset 13; x: f32[2,2]; w = f32[2,2] 1; y = Gemm(x, w) {alpha=0.}") ==
        Notes{"'y' stays in float: it is multiplied by 0"});
  for (const Target* const target : {&targets::onednn, &targets::paper})
    CHECK(notes_of(weight + "x: f32[N,2]; y = MatMul(x, w)", quantize_dynamic(*target)) ==
          Notes{"'y' stays in float: the target has no dynamic kernel for it"});
  Model model = graph(weight + "x: f32[N,2]; y = MatMul(x, w)");
  Context context;
  const Report report = (exclude_nodes({NamePattern("y")}) | standard).run(model, context);
  CHECK(ops(model.graph()) == "MatMul");
  CHECK(report.step("quantize_dynamic")->notes ==
        Notes{"'y' stays in float: it is excluded by name"});
}

TEST_CASE("it needs opset 11", "[dynamic]") {
  Model model = graph("opset 10; w = f32[2,2] 1; x: f32[2,2]; y = MatMul(x, w)");
  CHECK_THROWS_WITH(standard.run(model), Catch::Contains("opset 11"));
}

TEST_CASE("products in bodies, whose weights stand outside", "[dynamic]") {
  const std::string text = weight + "x: f32[N,2]; c: bool[]; a = MatMul(x, w); "
                                    "y = If(c) {then_branch={ g = MatMul(x, w) }, else_branch={ h = Neg(a) }}; "
                                    "return a, y";
  Model model = graph(text);
  CHECK(standard.run(model).changes == 2);
  CHECK(verify(model).empty());
  CHECK(model.graph().find("w") == nullptr);
  CHECK(model.graph().initializers().size() == 3);
  const Feeds feeds{{"x", wave({3, 2})}, {"c", Tensor::of<bool>({}, {true})}};
  const std::vector<Tensor> outputs = Evaluator(model.graph()).run(feeds);
  CHECK(outputs[0].to<float>() == outputs[1].to<float>());
}

TEST_CASE("tables become integers too, unless they are not wanted", "[dynamic]") {
  const std::string text = "opset 13; t = f32[128,128] random; ids: i64[2]; y = Gather(t, ids)";
  Model model = graph(text), kept = graph(text);
  CHECK(standard.run(model).step("quantize_embeddings")->changes == 1);
  quantize_dynamic(targets::ort_cpu_x64, {.tables = std::nullopt}).run(kept);
  CHECK(ops(kept.graph()) == "Gather");
}

TEST_CASE("each matrix of a batch has scales of its own, beside which ONNX Runtime adds a bias", "[dynamic]") {
  for (const Pass& pass : {standard, contrib}) {
    Model model = graph("opset 13; w = f32[2,3,5] random; x: f32[2,4,3]; m = MatMul(x, w); y = Add(m, f32[5] random)");
    pass.run(model);
    CHECK(verify(model).empty());
    CHECK_FALSE(audit(model.graph(), targets::ort_cpu_x64).has_errors());
    const auto has_scales = [](const Value& value) { return value.shape() == Shape(Dims{2, 1, 5}); };
    CHECK(std::ranges::any_of(model.graph().initializers(), [&](const Value* value) { return has_scales(*value); }));
    CHECK(distance("opset 13; w = f32[2,3,5] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0.01, 0.02, 0.03, "
                   "0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14, 0.15}; x: f32[2,4,3]; "
                   "m = MatMul(x, w); y = Add(m, f32[5] random)", pass, {{"x", wave({2, 4, 3})}}) < 0.02F);
  }
}

TEST_CASE("weights are filled up with zeros where the runtime miscomputes products of so many columns", "[dynamic]") {
  for (const DynamicForm form : {DynamicForm::standard, DynamicForm::contrib}) {
    const Pass amx = quantize_dynamic(targets::ort_cpu_amx, {.form = form});
    for (const std::string net :
         {"y = MatMul(x, f32[3,24] random)", "y = Gemm(x, f32[24,3] random, f32[24] random) {transB=1}",
          "m = MatMul(x, f32[3,24] random); y = Add(m, f32[24] random)"}) {
      const std::string text = "opset 13; x: f32[40,3]; " + net;
      CHECK(distance(text, amx, {{"x", wave({40, 3})}}) < 0.02F);
      Model model = graph(text);
      amx.run(model);
      CHECK_FALSE(audit(model.graph(), targets::ort_cpu_amx).has_errors());
      Model other = graph(text);
      quantize_dynamic(targets::ort_cpu_x64, {.form = form}).run(other);
      CHECK(audit(other.graph(), targets::ort_cpu_amx).has_errors());
      CHECK_FALSE(audit(other.graph(), targets::ort_cpu_x64).has_errors());
    }
  }
}
