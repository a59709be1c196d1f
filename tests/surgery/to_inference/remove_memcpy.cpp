#include <graft/surgery/to_inference.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "surgery/sound.hpp"

using namespace graft;

namespace {

/// With Copy for the nodes that ONNX Runtime writes, which are of the main domain.
Model with_copies(const std::string& text, const std::string& op = "MemcpyToHost") {
  onnx::ModelProto proto = graph(text).commit();
  std::vector<onnx::GraphProto*> open{proto.mutable_graph()};
  while (!open.empty()) {
    onnx::GraphProto& scope = *open.back();
    open.pop_back();
    for (onnx::NodeProto& node : *scope.mutable_node()) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute())
        if (attribute.has_g()) open.push_back(attribute.mutable_g());
      if (node.op_type() != "Copy") continue;
      node.set_op_type(op);
      node.clear_domain();
    }
  }
  return Model(std::move(proto));
}

TestResult becomes(const std::string& text, const std::string& wanted, const std::string& op = "MemcpyToHost") {
  Model model = with_copies(text, op);
  remove_memcpy().run(model);
  CHECK(unsound(model).empty());
  return isomorphic(graph(wanted), model);
}

}  // namespace

TEST_CASE("copies between devices go", "[remove_memcpy]") {
  CHECK(becomes("x: f32[2]; y = Neg(own::Copy(x))", "x: f32[2]; y = Neg(x)"));
  CHECK(becomes("x: f32[2]; y = Neg(own::Copy(own::Copy(x)))", "x: f32[2]; y = Neg(x)", "MemcpyFromHost"));
  CHECK(becomes("x: f32[2]; y = own::Copy(Neg(x))", "x: f32[2]; y = Neg(x)"));
  Model microsoft = graph("x: f32[2]; y = Neg(com.microsoft::MemcpyFromHost(x))");
  CHECK(remove_memcpy().run(microsoft).changes == 1);
  CHECK(isomorphic(graph("x: f32[2]; y = Neg(x)"), microsoft));
  CHECK(remove_memcpy().run(microsoft).changes == 0);
}

TEST_CASE("an output keeps its name", "[remove_memcpy]") {
  Model model = with_copies("x: f32[2]; h = Neg(x); y = own::Copy(h); z = own::Copy(x); return y, z, h");
  CHECK(remove_memcpy().run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(model.proto().graph().output(0).name() == "y");
  CHECK(isomorphic(graph("x: f32[2]; h = Neg(x); y = Identity(h); z = Identity(x); return y, z, h"), model));
}

TEST_CASE("those in bodies and of what bodies capture go too", "[remove_memcpy]") {
  CHECK(
      becomes("x: f32[2]; c: bool[]; h = own::Copy(x); y = If(c) {then_branch={ t = own::Copy(Neg(h)) }, "
              "else_branch={ e = own::Copy(h) }}",
              "x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ e = Identity(x) }}"));
}
