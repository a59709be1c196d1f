#include <graft/lower/fused_operators.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("FusedConv becomes Conv and what is behind it") {
  const std::string head = "opset 17; x: f32[1,2,5,5]; w: f32[4,2,3,3]; z: f32[1,4,3,3]; ";
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w) {strides=[2,2], activation=\"Relu\"}")
            .rule(decompose_fused_conv)
            .becomes(head + "y = Relu(Conv(x, w) {strides=[2,2]})"));
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w, _, z) {activation=\"Clip\", activation_params=[0.0, 6.0]}")
            .rule(decompose_fused_conv)
            .becomes(head + "y = Clip(Add(Conv(x, w), z), f32[] 0, f32[] 6)"));
}

TEST_CASE("decompose_fused_conv refuses") {
  const auto refuses = [](const std::string& opset, const std::string& activation, const char* why) {
    return given(opset + "x: f32[1,2,5,5]; w: f32[4,2,3,3]; y = com.microsoft::FusedConv(x, w) {activation=\"" +
                 activation + "\"}")
        .rule(decompose_fused_conv)
        .refuses(why);
  };
  CHECK(refuses("opset 17; ", "Elu", "activation is not known"));
  CHECK(refuses("opset 6; ", "Relu", "opset 7"));
}

TEST_CASE("FusedGemm becomes Gemm and its activation") {
  const std::string head = "opset 17; a: f32[2,3]; b: f32[3,4]; c: f32[4]; ";
  CHECK(given(head + "y = com.microsoft::FusedGemm(a, b, c) {beta=2.0, activation=\"LeakyRelu\", activation_alpha=0.5}")
            .rule(decompose_fused_gemm)
            .becomes(head + "y = LeakyRelu(Gemm(a, b, c) {beta=2.0}) {alpha=0.5}"));
}

TEST_CASE("decompose_fused_gemm refuses") {
  const auto refuses = [](const std::string& head, const std::string& attributes, const char* why) {
    return given(head + "y = com.microsoft::FusedGemm(a, b, c) {activation=\"Clip\", " + attributes + "}")
        .rule(decompose_fused_gemm)
        .refuses(why);
  };
  const std::string inputs = "a: f32[2,3]; b: f32[3,4]; c: f32[4]; ";
  CHECK(refuses("opset 17; " + inputs, "activation_beta=1.0", "no first"));
  CHECK(refuses("opset 6; " + inputs, "activation_alpha=0.0", "opset 7"));
  CHECK(refuses("opset 17; x: f32[2,3]; a, b, c = Unknown::Op(x); ", "activation_alpha=0.0", "dtype is not known"));
}

TEST_CASE("FusedMatMul becomes Transposes, MatMul and a factor") {
  const std::string head = "opset 17; a: f32[2,3,4]; b: f32[2,5,4]; ";
  CHECK(given(head + "y = com.microsoft::FusedMatMul(a, b) {transB=1, alpha=2.0}")
            .rule(decompose_fused_matmul)
            .becomes(head + "y = Mul(MatMul(a, Transpose(b) {perm=[0,2,1]}), f32[] 2)"));
  const std::string moved = "opset 17; a: f32[4,2,3]; b: f32[4,2,5]; ";
  CHECK(given(moved + "y = com.microsoft::FusedMatMul(a, b) {transBatchA=1, transBatchB=1, transA=1}")
            .rule(decompose_fused_matmul)
            .becomes(moved + "y = MatMul(Transpose(a) {perm=[1,2,0]}, Transpose(b) {perm=[1,0,2]})"));
}

TEST_CASE("a factor below 1 of FusedMatMul is multiplied to an operand") {
  const std::string head = "opset 17; a: f32[4,3]; b: f32[4,5]; ", constant = "opset 17; a: f32[4,3]; b = f32[4,5] 1; ";
  const std::string fused = "y = com.microsoft::FusedMatMul(a, b) {transA=1, alpha=-0.5}";
  CHECK(given(head + fused)
            .rule(decompose_fused_matmul)
            .becomes(head + "y = MatMul(Transpose(Mul(a, f32[] -0.5)) {perm=[1,0]}, b)"));
  CHECK(given(constant + fused)
            .rule(decompose_fused_matmul)
            .becomes(constant + "y = MatMul(Transpose(a) {perm=[1,0]}, Mul(b, f32[] -0.5))"));
}

TEST_CASE("decompose_fused_matmul refuses") {
  const auto refuses = [](const std::string& text, const char* why) {
    return given(text).rule(decompose_fused_matmul).refuses(why);
  };
  CHECK(refuses("opset 17; a: f32[4]; b: f32[4]; y = com.microsoft::FusedMatMul(a, b) {transB=1}", "rank"));
  CHECK(refuses("opset 6; a: f32[4,4]; b: f32[4,4]; y = com.microsoft::FusedMatMul(a, b)", "opset 7"));
}

TEST_CASE("all fused products are taken apart, and com.microsoft goes") {
  const std::string head = "opset 17; x: f32[1,2,5,5]; w: f32[4,2,3,3]; b: f32[3,6]; c: f32[6,2]; ";
  CHECK(given(head + "h = com.microsoft::FusedConv(x, w) {activation=\"Relu\"}; "
                     "p = com.microsoft::FusedMatMul(h, b); "
                     "y = com.microsoft::FusedGemm(Reshape(p, i64[2] {12, 6}), c) {activation=\"Tanh\"}")
            .pass(decompose_fused_products())
            .becomes(head + "p = MatMul(Relu(Conv(x, w)), b); y = Tanh(Gemm(Reshape(p, i64[2] {12, 6}), c))"));
}

TEST_CASE("a model of fused operators becomes one of primitives") {
  const std::string fused =
      "opset 23; ids: i32[B,S]; w = f32[9,4] random; p = f32[6,4] random; g = f32[4] random; b = f32[4] random;"
      "e, _ = com.microsoft::EmbedLayerNormalization(ids, _, w, p, _, g, b);"
      "a = com.microsoft::BiasGelu(e, b); c = com.microsoft::FastGelu(a); d = Gelu(c); f = com.microsoft::QuickGelu(d);"
      "h = com.microsoft::SkipLayerNormalization(f, e, g, b); i = LayerNormalization(h, g, b);"
      "j = com.microsoft::SkipSimplifiedLayerNormalization(i, h, g); k = RMSNormalization(j, g);"
      "l = SimplifiedLayerNormalization(k, g); y = com.microsoft::Gelu(l)";
  CHECK(given(fused)
            .pass(decompose_fused_operators())
            .equivalent({.inputs = 4, .atol = 1e-4, .rtol = 1e-4, .dims = {{"B", 3}, {"S", 5}}}));
  Model model = graph(fused);
  decompose_fused_operators().run(model);
  CHECK(model.opset("com.microsoft") == 0);
  for (const Node& node : model.graph().nodes()) {
    INFO(node);
    for (const std::string op : {"LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization", "Gelu"})
      CHECK_FALSE(node.is(op));
  }
}
