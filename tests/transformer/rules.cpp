#include <graft/transformer/rules.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

using namespace graft;

TEST_CASE("rules of fusions are found by name") {
  const Registry<RuleView> rules = transformer_rules();
  CHECK(rules.at("skip-layer-normalization").name() == skip_layer_normalization.name());
  CHECK(rules.find("no-such-rule") == nullptr);
}

TEST_CASE("rules of fusions pass over nodes that lack inputs or results") {
  Model model = graph(
      "x: f32[2,3,4]; w = f32[4] 1; a = Add(x, x); b = LayerNormalization(a, w); c = Gather(x, x); d = Add(c, c);"
      "e = LayerNormalization(d, w); f = Mul(x, w); g = Gelu(x); h = Tanh(x); i = Add(h, w); j = Mul(x, i);"
      "k = Cast(x) {to=10}; l = Div(x, h); y = Neg(x); return y");
  for (const bool inputs : {false, true}) {
    onnx::ModelProto proto = model.commit();
    for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) {
      if (node.op_type() == "Neg") continue;
      if (inputs)
        for (std::string& name : *node.mutable_input()) name = name == "x" ? "" : name;
      else if (std::string("acdhi").find(node.output(0)) == std::string::npos) node.clear_output();
    }
    Model broken(proto);
    std::vector<RuleView> all;
    const Registry<RuleView> rules = transformer_rules();
    for (const std::string_view name : rules.names()) all.push_back(rules.at(name));
    CHECK_NOTHROW(sweep(all).run(broken));
    CHECK(broken.graph().find("y") != nullptr);
  }
}
