#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph.hpp>
#include <graft/qonnx/ops/canonical_operators.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

/// One node after the other, each "domain::Op" with so many inputs, and these imports beside that of ONNX.
Model chain(const std::vector<std::pair<std::string, std::size_t>>& ops,
            const std::vector<std::pair<std::string, int>>& imports) {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  auto& main = *proto.add_opset_import();
  main.set_version(13);
  for (const auto& [domain, version] : imports) {
    auto& import = *proto.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  onnx::GraphProto& graph = *proto.mutable_graph();
  graph.set_name("graph");
  const auto value = [](onnx::ValueInfoProto& info, const std::string& name) {
    info.set_name(name);
    *info.mutable_type() = tensor_type(DType::f32);
  };
  std::string last = "x";
  value(*graph.add_input(), last);
  for (const char* const name : {"p1", "p2", "p3", "p4", "p5"}) value(*graph.add_input(), name);
  for (const auto& [op, inputs] : ops) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_domain(std::string(OpName::parse(op).domain));
    node.set_op_type(std::string(OpName::parse(op).op_type));
    node.add_input(last);
    for (std::size_t i = 1; i < inputs; ++i) node.add_input("p" + std::to_string(i));
    last += "'";
    node.add_output(last);
  }
  value(*graph.add_output(), last);
  return Model(std::move(proto));
}

std::vector<std::string> ops_of(const Model& model) {
  std::vector<std::string> ops;
  for (const Node& node : model.graph().nodes()) ops.push_back(to_string(OpName{node.domain(), node.op_type()}));
  return ops;
}

}  // namespace

TEST_CASE("every spelling of an operator becomes the canonical one, and imports follow", "[qonnx]") {
  Model model = chain({{"onnx.brevitas::Quant", 4}, {"finn.custom_op.general::MultiThreshold", 2}, {"Relu", 1},
                       {"qonnx.custom_op.general::IntQuant", 4}},
                      {{"onnx.brevitas", 1}});
  const Report report = qonnx::canonical_operators().run(model);
  CHECK(report.changes == 5);  // three nodes, an import more, one less
  CHECK(ops_of(model) == std::vector<std::string>{"qonnx.custom_op.general::Quant",
                                                  "qonnx.custom_op.general::MultiThreshold", "Relu",
                                                  "qonnx.custom_op.general::Quant"});
  CHECK(model.opset(qonnx::domain) == 1);
  CHECK(model.opset("onnx.brevitas") == 0);
  CHECK(verify(model.graph()).empty());
  CHECK(model.commit().opset_import_size() == 2);
  CHECK(qonnx::canonical_operators().run(model).changes == 0);
}

TEST_CASE("imports that no node uses go, missing ones come", "[qonnx]") {
  Model unused = chain({{"Relu", 1}}, {{"qonnx.custom_op.general", 1}, {"finn.custom_op.general", 1}, {"mine", 1}});
  qonnx::canonical_operators().run(unused);
  CHECK(unused.opset(qonnx::domain) == 0);
  CHECK(unused.opset("finn.custom_op.general") == 0);
  CHECK(unused.opset("mine") == 1);
  Model missing = chain({{"qonnx.custom_op.channels_last::MaxPool", 1}}, {});
  qonnx::canonical_operators().run(missing);
  CHECK(missing.opset(qonnx::channels_last_domain) == 13);
}

TEST_CASE("a Trunc keeps its version", "[qonnx]") {
  const std::string canonical = "qonnx.custom_op.general::Trunc";
  Model second = chain({{"onnx.brevitas::Trunc", 6}, {"qonnx.custom_op.general::Quant", 4}},
                       {{"onnx.brevitas", 2}, {"qonnx.custom_op.general", 1}});
  qonnx::canonical_operators().run(second);
  CHECK(ops_of(second).front() == canonical);
  CHECK(second.opset(qonnx::domain) == 2);

  Model unimported = chain({{"onnx.brevitas::Trunc", 6}}, {});
  qonnx::canonical_operators().run(unimported);
  CHECK(unimported.opset(qonnx::domain) == 2);

  Model first = chain({{"onnx.brevitas::Trunc", 5}}, {{"qonnx.custom_op.general", 2}});
  qonnx::canonical_operators().run(first);
  CHECK(ops_of(first).front() == canonical);
  CHECK(first.opset(qonnx::domain) == 1);

  Model both = chain({{"qonnx.custom_op.general::Trunc", 5}, {"onnx.brevitas::Trunc", 6}, {"onnx.brevitas::Quant", 4}},
                     {{"qonnx.custom_op.general", 1}});
  const Report report = qonnx::canonical_operators().run(both);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes.front(), Catch::Contains("Trunc") && Catch::Contains("version 2"));
  CHECK(ops_of(both) ==
        std::vector<std::string>{canonical, "onnx.brevitas::Trunc", "qonnx.custom_op.general::Quant"});
  CHECK(both.opset(qonnx::domain) == 1);
  CHECK(both.opset("onnx.brevitas") == 2);
}

TEST_CASE("no operator gets the name of a local function", "[qonnx]") {
  Model model = chain({{"onnx.brevitas::Quant", 4}}, {{"onnx.brevitas", 1}});
  onnx::FunctionProto function;
  function.set_domain(std::string(qonnx::domain));
  function.set_name("Quant");
  model.add_function(function);
  const Report report = qonnx::canonical_operators().run(model);
  CHECK(ops_of(model) == std::vector<std::string>{"onnx.brevitas::Quant"});
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes.front(), Catch::Contains("a local function is called qonnx.custom_op.general::Quant"));
}

TEST_CASE("parameters that are integers become floats", "[qonnx]") {
  Model model = graph("x: f32[2]; y = qonnx.custom_op.general::Quant(x, f32[] 0.5, i64[] 0, i8[] 4)");
  CHECK(qonnx::canonical_operators().run(model).changes == 2);
  const Node& quant = *model.graph().find("y")->producer();
  CHECK(quant.input(2)->constant()->dtype() == DType::f32);
  CHECK(quant.input(3)->constant()->same_bytes(Tensor::scalar(4.0F)));
  CHECK(qonnx::canonical_operators().run(model).changes == 0);
}
