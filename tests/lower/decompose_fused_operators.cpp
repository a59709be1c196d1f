#include <graft/lower/decompose_fused_operators.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
