#include <graft/transformer/transformer_fusions.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/lower/fused_operators.hpp>
#include <graft/testing.hpp>

#include "support/data.hpp"

using namespace graft;

namespace {

/// A feed-forward layer between two residual connections, in primitives.
std::string layer(std::string_view opset, std::string_view axes = ") {axes=[-1]}") {
  const std::string over(axes);
  return "opset " + std::string(opset) +
         "; x: f32[B,S,4]; z: f32[B,S,4]; w = f32[4,8] random; v = f32[8,4] random;"
         "b = f32[8] random; c = f32[4] random; s = f32[4] random; t = f32[4] random;"
         "h = Add(x, z); d = Sub(h, ReduceMean(h" +
         over +
         ");"
         "n = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)" +
         over +
         ", f32[] 0.001))), s), t);"
         "m = Add(MatMul(n, w), b); e = Mul(Mul(m, f32[] 0.5), Add(Erf(Div(m, f32[] 1.4142135)), f32[] 1));"
         "k = Add(Add(MatMul(e, v), c), n); r = Mul(k, k);"
         "y = Mul(s, Div(k, Sqrt(Add(ReduceMean(r" +
         over + ", f32[] 0.001))))";
}

const std::string fused =
    "x: f32[B,S,4]; z: f32[B,S,4]; w = f32[4,8] random; v = f32[8,4] random;"
    "b = f32[8] random; c = f32[4] random; s = f32[4] random; t = f32[4] random;"
    "n = com.microsoft::SkipLayerNormalization(x, z, s, t) {epsilon=0.001};"
    "e = com.microsoft::BiasGelu(MatMul(n, w), b);"
    "y = com.microsoft::SkipSimplifiedLayerNormalization(MatMul(e, v), n, s, c) {epsilon=0.001}";

/// Attention over embeddings, whose positions are the first of a table: how many there are is not known of the Slice.
std::string encoder(int layers) {
  std::string text =
      "opset 18; ids: i64[B,S]; am: bool[B,S]; wt = f32[50,4] random; pt = f32[32,4] random; one = i64[1] 1; "
      "pos = i64[1,8] {0, 1, 2, 3, 4, 5, 6, 7}; n = Gather(Shape(ids), one); "
      "e = Add(Gather(wt, ids), Gather(pt, Slice(pos, i64[1] 0, n, one))); "
      "x0 = LayerNormalization(e, f32[4] 1, f32[4] 0.5); split = i64[4] {0, 0, 2, 2}; "
      "m = Unsqueeze(Mul(Sub(f32[] 1, Cast(am) {to=1}), f32[] -3.4e38), i64[2] {1, 2}); "
      "t = Gather(Shape(am), one); mask = Expand(m, Concat(Gather(Shape(am), i64[1] 0), one, t, t) {axis=0}); ";
  std::string input = "x0";
  for (int i = 0; i < layers; ++i) {
    const auto named = [i](const char* name) { return name + std::to_string(i); };
    for (const char* const each : {"q", "k", "v"})
      text += named(each) + " = Transpose(Reshape(Add(MatMul(" + input +
              ", f32[4,4] random), f32[4] random), split)) {perm=[0," + (each[0] == 'k' ? "2,3,1" : "2,1,3") + "]}; ";
    text += named("s") + " = Add(Mul(MatMul(" + named("q") + ", " + named("k") + "), f32[] 0.70710678), mask); " +
            named("h") + " = Transpose(MatMul(Softmax(" + named("s") + ") {axis=-1}, " + named("v") +
            ")) {perm=[0,2,1,3]}; " + "x" + std::to_string(i + 1) + " = MatMul(Reshape(" + named("h") +
            ", i64[3] {0, 0, 4}), f32[4,4] random); ";
    input = "x" + std::to_string(i + 1);
  }
  return text + "y = Identity(" + input + ")";
}

/// The text for layer i, in which # stands for i and ' for i + 1.
std::string of_layer(std::string_view text, int i) {
  std::string result;
  for (const char each : text)
    result += each == '#' ? std::to_string(i) : each == '\'' ? std::to_string(i + 1) : std::string(1, each);
  return result;
}

/// Attention over a cache. Its length is declared of the outputs, behind an Identity, and each layer measures its own.
std::string decoder(int layers) {
  std::string pasts, nodes, presents;
  for (int i = 0; i < layers; ++i) {
    pasts += of_layer("pk#: f32[B,2,P,2]; pv#: f32[B,2,P,2]; ", i);
    nodes += of_layer(
        "q# = Transpose(Reshape(MatMul(x#, f32[4,4] random), split)) {perm=[0,2,1,3]};"
        "k# = Transpose(Reshape(MatMul(x#, f32[4,4] random), split)) {perm=[0,2,1,3]};"
        "v# = Transpose(Reshape(MatMul(x#, f32[4,4] random), split)) {perm=[0,2,1,3]};"
        "keys# = Concat(pk#, k#) {axis=2}; values# = Concat(pv#, v#) {axis=2};"
        "all# = Slice(Shape(keys#), i64[1] 2, i64[1] 3); new# = Slice(Shape(x#), i64[1] 1, i64[1] 2);"
        "rows# = Slice(table, Sub(all#, new#), all#, i64[1] 2); seen# = Slice(rows#, i64[1] 0, all#, i64[1] 3);"
        "s# = Mul(MatMul(q#, Transpose(keys#) {perm=[0,1,3,2]}), f32[] 0.70710678);"
        "m# = Neg(Expand(m, Concat(i64[2] 1, Gather(Shape(s#), i64[1] 2), all#) {axis=0}));"
        "w# = Softmax(Add(Where(seen#, s#, f32[] -3.4e38), m#)) {axis=-1};"
        "h# = Reshape(Transpose(MatMul(w#, values#)) {perm=[0,2,1,3]}, i64[3] {0, 0, 4});"
        "x' = Add(x#, MatMul(h#, f32[4,4] random));",
        i);
    presents += of_layer("ok# = Identity(keys#) : f32[B,2,T,2]; ov# = Identity(values#) : f32[B,2,T,2]; ", i);
  }
  return "opset 17; x0: f32[B,S,4]; m: f32[B,1,1,T]; " + pasts +
         "table = bool[1,1,32,32] random; split = i64[4] {0, 0, 2, 2}; " + nodes + presents +
         of_layer("y = Identity(x#)", layers);
}

std::string operators_of(const std::string& text) {
  Model model = graph(text);
  transformer_fusions().run(model);
  std::string ops;
  for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
  return ops;
}

}  // namespace

TEST_CASE("transformer_fusions names what is written in primitives") {
  for (const std::string_view opset : {"13", "17"})
    CHECK(given(layer(opset)).pass(transformer_fusions()).becomes("opset 17; " + fused));
  CHECK(given(layer("13")).pass(transformer_fusions()).equivalent({.atol = 1e-4, .rtol = 1e-4}));
}

TEST_CASE("layers that are products of all rows end as those of batches do") {
  Model model = graph(
      "opset 17; x: f32[B,S,4]; n = Concat(Shape(x) {end=2}, i64[1] 12) {axis=0}; "
      "p = Reshape(Gemm(Reshape(x, i64[2] {-1, 4}), f32[4,12] random, f32[12] random), n); "
      "q, k, v = Split(p, i64[3] {4, 4, 4}) {axis=2}; t = i64[4] {0, 0, 2, 2}; "
      "qh = Transpose(Reshape(q, t)) {perm=[0,2,1,3]}; kt = Transpose(Reshape(k, t)) {perm=[0,2,3,1]}; "
      "vh = Transpose(Reshape(v, t)) {perm=[0,2,1,3]}; w = Softmax(Div(MatMul(qh, kt), f32[] 1.4142135)) {axis=-1}; "
      "h = Transpose(MatMul(w, vh)) {perm=[0,2,1,3]}; m = Concat(Shape(x) {end=2}, i64[1] 4) {axis=0}; "
      "y = Reshape(Gemm(Reshape(h, i64[2] {-1, 4}), f32[4,4] random, f32[4] random), m)");
  transformer_fusions().run(model);
  std::string ops;
  for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
  CHECK(ops == "Attention MatMul Add ");
}

TEST_CASE("an embedding that is the weight of the last layer is stored once") {
  Model model = graph(
      "opset 17; ids: i64[B,S]; w = f32[100,16] random; h = Relu(Gather(w, ids));"
      "y = Reshape(Gemm(Reshape(h, i64[2] {-1, 16}), w) {transB=1}, Concat(Shape(ids) {end=2}, i64[1] 100) {axis=0})");
  const std::size_t before = model.commit().ByteSizeLong();
  transformer_fusions().run(model);
  CHECK(model.commit().ByteSizeLong() < before + 1000);
}

TEST_CASE("transformer_fusions again changes nothing") {
  CHECK(given("opset 17; " + fused).pass(transformer_fusions()).becomes("opset 17; " + fused));
  for (const std::string& text : {encoder(1), encoder(2)}) {
    Model model = graph(text);
    transformer_fusions().run(model);
    const std::string once = model.serialize();
    const Report again = transformer_fusions().run(model);
    CHECK(again.changes == 0);
    CHECK((model.serialize() == once));
  }
}

TEST_CASE("transformer_fusions of what it wrote changes nothing") {
  for (const int layers : {1, 3}) {
    Model model = graph(decoder(layers));
    transformer_fusions().run(model);
    std::ptrdiff_t attentions = 0;
    for (const Node& node : model.graph().nodes()) attentions += node.is("com.microsoft::MultiHeadAttention") ? 1 : 0;
    CHECK(attentions == layers);
    const std::string once = model.serialize();
    onnx::ModelProto written;
    REQUIRE(written.ParseFromString(once));
    Model loaded(std::move(written));
    CHECK(transformer_fusions().run(loaded).changes == 0);
    CHECK((loaded.serialize() == once));
  }
}

TEST_CASE("extents that a fusion makes known serve the others in the same run") {
  CHECK(operators_of(encoder(1)) ==
        "Cast EmbedLayerNormalization Cast Sub Mul Unsqueeze Shape Gather Gather Concat "
        "Expand Attention MatMul ");
}

TEST_CASE("exported models are fused in one run", "[slow]") {
  TEST_DATA(folder, "transformers");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    INFO(entry.path());
    for (const FusedOperators& runtime : {fused_operators::ort_cpu, fused_operators::onnx}) {
      Model model = Model::load(entry.path().string());
      transformer_fusions(runtime).run(model);
      const std::string once = model.serialize();
      CHECK(transformer_fusions(runtime).run(model).changes == 0);
      CHECK((model.serialize() == once));
    }
  }
}

TEST_CASE("masks of reported models are fused") {
  const auto attentions_of = [](const std::filesystem::path& path) {
    Model model = Model::load(path.string());
    transformer_fusions().run(model);
    std::size_t count = 0;
    for (const Node& node : model.graph().nodes())
      count += node.is("com.microsoft::Attention") || node.is("com.microsoft::MultiHeadAttention") ? 1 : 0;
    return count;
  };
  TEST_DATA(folder, "reports");
  for (const char* const name : {"attention_second_run", "mask_expanded_by_scores", "causal_where_then_add"}) {
    INFO(name);
    CHECK(attentions_of(folder / (std::string(name) + ".onnx")) == 1);
  }
}

TEST_CASE("results of fused operators have types, and are declared") {
  Model model = graph(layer("17"));
  transformer_fusions().run(model);
  std::size_t declared = 0;
  for (const onnx::ValueInfoProto& info : model.commit().graph().value_info()) declared += info.has_type() ? 1 : 0;
  CHECK(declared >= 2);
  for (const Node& node : model.graph().nodes())
    if (node.domain() == "com.microsoft") CHECK(to_string(node.output(0)->shape()).substr(0, 4) == "[B,S");
}

TEST_CASE("transformer_fusions for the standard's operators") {
  Model model = graph(layer("23", ", i64[1] {-1})"));
  transformer_fusions(fused_operators::onnx).run(model);
  std::string ops;
  for (const Node& node : model.graph().nodes()) ops += std::string(node.op_type()) + " ";
  CHECK(ops.find("LayerNormalization") != std::string::npos);
  CHECK(ops.find("RMSNormalization") != std::string::npos);
  CHECK(ops.find("Gelu") != std::string::npos);
  CHECK(model.opset("com.microsoft") == 0);
}

TEST_CASE("what is fused is taken apart again") {
  CHECK(given(layer("17"))
            .pass(transformer_fusions() | decompose_fused_operators())
            .equivalent({.atol = 1e-4, .rtol = 1e-4}));
  Model model = graph(layer("17"));
  (transformer_fusions() | decompose_fused_operators()).run(model);
  CHECK(model.opset("com.microsoft") == 0);
}
