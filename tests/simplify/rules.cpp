#include <graft/simplify/rules.hpp>

#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("rules are found by name") {
  CHECK(simplify_rules().at("bn-into-conv").name() == "bn-into-conv");
  CHECK(simplify_rules().find("no-such-rule") == nullptr);
}

TEST_CASE("rules pass over nodes that lack their results") {
  Model model = graph(
      "x: f32[2,3,4,4]; c = f32[] 2; a = Relu(x); b = Conv(a, c); d = Mul(x, c); e = Max(x, c); f = Transpose(x);"
      "g = Identity(x); h = HardSigmoid(x); i = Reshape(x, x); j = Concat(x, x) {axis=1}; y = Neg(a); return y");
  for (const bool is_omitted : {false, true}) {
    onnx::ModelProto proto = model.commit();
    for (onnx::NodeProto& node : *proto.mutable_graph()->mutable_node()) {
      if (node.op_type() == "Relu" || node.op_type() == "Neg") continue;
      node.clear_output();
      if (is_omitted) node.add_output("");
    }
    Model broken(proto);
    Context context;
    context.refusals = true;
    CHECK_NOTHROW(fixpoint(shrinking_rules()).run(broken, context));
    std::vector<RuleView> all;
    const Registry<RuleView> rules = simplify_rules();
    for (const std::string_view name : rules.names()) all.push_back(rules.at(name));
    Model other(proto);
    CHECK_NOTHROW(sweep(all).run(other, context));
    CHECK(other.graph().find("y") != nullptr);
  }
}
