#include <graft/qonnx/cleanup/canonical_domains.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("operators of QONNX get its domain, and the imports follow", "[qonnx]") {
  Model model = graph("x: f32[2]; h = onnx.brevitas::Quant(x, f32[] 1, f32[] 0, f32[] 4);"
                      "y = finn.custom_op.general::BipolarQuant(h, f32[] 1)");
  CHECK(qonnx::canonical_domains().run(model).changes == 3);
  for (const Node& node : model.graph().nodes()) CHECK(node.domain() == qonnx::domain);
  CHECK(model.opset(qonnx::domain) == 1);
  CHECK(model.opset("onnx.brevitas") == 0);
  CHECK(model.opset("finn.custom_op.general") == 0);
  CHECK(qonnx::canonical_domains().run(model).changes == 0);
}

TEST_CASE("a domain without an import gets that of QONNX, at the version of the old one", "[qonnx]") {
  onnx::ModelProto proto = graph("opset 13; x: f32[2]; y = onnx.brevitas::Trunc(x, f32[] 1, f32[] 0, f32[] 8, f32[] 4)")
                               .proto();
  SECTION("no import") {
    for (int i = 0; i < proto.opset_import_size(); ++i)
      if (proto.opset_import(i).domain() == "onnx.brevitas") proto.mutable_opset_import()->DeleteSubrange(i--, 1);
    Model model(proto);
    qonnx::canonical_domains().run(model);
    CHECK(model.opset(qonnx::domain) == 1);
  }
  SECTION("version 2") {
    Model model(proto);
    model.set_opset(2, "onnx.brevitas");
    qonnx::canonical_domains().run(model);
    CHECK(model.opset(qonnx::domain) == 2);
  }
}

TEST_CASE("other operators of these domains, and other domains, stay", "[qonnx]") {
  const std::string text = "x: f32[2]; h = finn.custom_op.general::Mine(x); y = mine::Quant(h)";
  CHECK(given(text).pass(qonnx::canonical_domains()).becomes(text));
}
