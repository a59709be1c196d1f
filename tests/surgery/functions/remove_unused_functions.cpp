#include <graft/surgery/functions.hpp>

#include <string>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/graph/model.hpp>

#include "support/protos.hpp"

using namespace graft;

namespace {

const std::string graph =
    "ir_version: 10 opset_import { version: 17 } opset_import { domain: 'own' version: 1 } graph { name: 'g' "
    "input { name: 'x' type { tensor_type { elem_type: 1 } } } output { name: 'y' type { tensor_type { elem_type: 1 } "
    "} } ";

const std::string relu = "node { op_type: 'Relu' input: 'x' output: 'y' } ";

std::string call(const std::string& op, const std::string& x = "x", const std::string& y = "y") {
  return "node { op_type: '" + op + "' domain: 'own' input: '" + x + "' output: '" + y + "' } ";
}
std::string function(const std::string& name, const std::string& nodes) {
  return "functions { domain: 'own' name: '" + name +
         "' input: 'x' output: 'y' opset_import { version: 17 } opset_import { domain: 'own' version: 1 } " + nodes +
         "} ";
}

Model parse(const std::string& text) {
  onnx::ModelProto proto;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &proto));
  return Model(std::move(proto));
}

std::string names(const onnx::ModelProto& proto) {
  std::string all;
  for (const onnx::FunctionProto& function : proto.functions()) all += function.name() + " ";
  return all;
}

}  // namespace

TEST_CASE("functions that are not reached from the graph go") {
  Model model = parse(graph + call("A") + "} " + function("Idle", call("A")) + function("A", call("B")) +
                      function("Round", call("Around")) + function("B", relu) + function("Around", call("Round")));
  CHECK(remove_unused_functions().run(model).changes == 3);
  CHECK(names(model.commit()) == "A B ");
  CHECK(model.opset("own") == 1);
  CHECK(remove_unused_functions().run(model).changes == 0);
}

TEST_CASE("the import of a domain goes with its last function") {
  Model model = parse(graph + relu + "} " + function("Idle", relu));
  CHECK(remove_unused_functions().run(model).changes == 1);
  CHECK(model.opset("own") == 0);
  CHECK(model.commit().opset_import_size() == 1);
  CHECK(model.opset() == 17);
}

TEST_CASE("functions and imports that a training step may need stay") {
  const std::string training = "training_info { algorithm { name: 't' " + call("A") + "} } ";
  Model model = parse(graph + relu + "} " + training + function("A", relu));
  const Report report = remove_unused_functions().run(model);
  CHECK(report.changes == 0);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0].find("training_info") != std::string::npos);
  CHECK_FALSE(model.drop_unused_opset("own"));
  CHECK(names(model.commit()) == "A ");
}

TEST_CASE("a call in a body is one") {
  const auto branch = [](const std::string& name, const std::string& node) {
    return "attribute { name: '" + name + "' type: GRAPH g { name: 'b' output { name: '" + name + "' } " + node +
           "} } ";
  };
  Model model = parse(graph +
                      "initializer { name: 'c' data_type: 9 int32_data: 1 } node { op_type: 'If' input: 'c' "
                      "output: 'y' " +
                      branch("then_branch", call("A", "x", "then_branch")) +
                      branch("else_branch", call("Neither", "x", "else_branch")) + "} } " +
                      function("Idle", call("A")) + function("A", relu));
  CHECK(remove_unused_functions().run(model).changes == 1);
  CHECK(names(model.commit()) == "A ");
}

TEST_CASE("overloads are functions of their own") {
  onnx::ModelProto proto = parse(graph + call("A") + "} " + function("A", call("B")) + function("A", call("C")) +
                                 function("B", relu) + function("C", relu))
                               .proto();
  set_newer(*proto.mutable_functions(1), 13, "other");  // overload
  set_newer(*proto.mutable_graph()->mutable_node(0), 8, "other");
  Model model(proto);
  CHECK(remove_unused_functions().run(model).changes == 2);
  CHECK(names(model.commit()) == "A C ");
}
