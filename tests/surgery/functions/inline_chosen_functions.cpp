#include <graft/surgery/functions.hpp>

#include <string>
#include <vector>

#include <google/protobuf/text_format.h>
#include <catch2/catch.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/surgery/inline_functions.hpp>

using namespace graft;

namespace {

std::string node(const std::string& op, const std::string& more) {
  return "node { op_type: '" + op + "' " + more + "} ";
}
std::string call(const std::string& op, const std::string& more) { return node(op, "domain: 'own' " + more); }
std::string function(const std::string& name, const std::string& more, int opset = 17) {
  return "functions { domain: 'own' name: '" + name + "' opset_import { version: " + std::to_string(opset) +
         " } opset_import { domain: 'own' version: 1 } " + more + "} ";
}

/// Of f32[2] x, which makes y.
Model parse(const std::string& nodes, const std::string& functions) {
  const std::string type = "type { tensor_type { elem_type: 1 shape { dim { dim_value: 2 } } } } } ";
  onnx::ModelProto proto;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      "ir_version: 8 opset_import { version: 17 } opset_import { domain: 'own' version: 1 } graph { name: 'g' "
      "input { name: 'x' " +
          type + "output { name: 'y' " + type + nodes + "} " + functions,
      &proto));
  return Model(std::move(proto));
}

std::vector<float> run(const Model& model) {
  Model whole(onnx::ModelProto(model.proto()));
  inline_functions().run(whole);
  Evaluator evaluator(whole.graph());
  return evaluator.run({{"x", Tensor::of(DType::f32, {2}, std::vector<float>{1, -2})}})[0].to<float>();
}

std::string names(const onnx::ModelProto& proto) {
  std::string all;
  for (const onnx::FunctionProto& function : proto.functions()) all += function.name() + " ";
  return all;
}

const std::string twice =
    function("Twice", "input: 'a' output: 'b' " + node("Add", "input: 'a' input: 'a' output: 'b' "));
/// Twice a + |a|: three nodes, one of them a call.
const std::string three =
    function("Three", "input: 'a' output: 'b' " + call("Twice", "name: 'call' input: 'a' output: 't' ") +
                          node("Abs", "input: 'a' output: 'p' ") + node("Add", "input: 't' input: 'p' output: 'b' "));
/// Twice of twice: two nodes, once they are written out.
const std::string fourfold = function("Fourfold", "input: 'a' output: 'b' " + call("Twice", "input: 'a' output: 't' ") +
                                                      call("Twice", "input: 't' output: 'b' "));

}  // namespace

TEST_CASE("small functions are written out, in the others too") {
  Model model = parse(call("Three", "input: 'x' output: 'h' ") + call("Fourfold", "input: 'h' output: 'y' "),
                      three + fourfold + twice);
  const std::vector<float> before = run(model);
  CHECK(inline_small_functions().run(model).changes == 6);  // four calls, two functions
  CHECK(names(model.commit()) == "Three ");
  CHECK(verify(model).empty());
  CHECK(run(model) == before);
  CHECK(model.graph().nodes().size() == 3);
  for (const Node& inner : model.functions()[0]->nodes()) CHECK(inner.domain().empty());
  CHECK(inline_small_functions().run(model).changes == 0);
  CHECK(inline_small_functions(3).run(model).changes == 2);
  CHECK(model.functions().empty());
  CHECK(run(model) == before);
}

TEST_CASE("how many nodes a function has counts bodies, and what it calls") {
  const auto branch = [](const std::string& name) {
    return "attribute { name: '" + name + "' type: GRAPH g { name: 'b' output { name: '" + name + "' } " +
           node("Neg", "input: 'a' output: '" + name + "' ") + "} } ";
  };
  const std::string choose =
      function("Choose", "input: 'c' input: 'a' output: 'b' " +
                             node("If", "input: 'c' output: 'b' " + branch("then_branch") + branch("else_branch")));
  Model model = parse(
      "initializer { name: 'c' data_type: 9 int32_data: 1 } " + call("Choose", "input: 'c' input: 'x' output: 'y' "),
      choose);
  CHECK(inline_small_functions(2).run(model).changes == 0);
  CHECK(inline_small_functions(3).run(model).changes == 2);
  Model nested = parse(call("Fourfold", "input: 'x' output: 'y' "), fourfold + twice);
  CHECK(inline_small_functions(1).run(nested).changes == 3);
  CHECK(names(nested.commit()) == "Fourfold ");
}

TEST_CASE("a function that calls itself is not small") {
  const std::string loop = function("Loop", "input: 'a' output: 'b' " + call("Loop", "input: 'a' output: 'b' "));
  Model model = parse(call("Loop", "input: 'x' output: 'h' ") + call("Twice", "input: 'h' output: 'y' "), loop + twice);
  CHECK(inline_small_functions(100).run(model).changes == 2);
  CHECK(names(model.commit()) == "Loop ");
}

TEST_CASE("a function that means something else in one that stays is left") {
  const std::string old = function("Old", "input: 'a' output: 'b' " + node("Relu", "input: 'a' output: 'b' "), 13);
  const std::string user =
      function("User", "input: 'a' output: 'b' " + call("Old", "input: 'a' output: 'p' ") +
                           call("Old", "input: 'p' output: 'q' ") + node("Neg", "input: 'q' output: 'b' "));
  Model model =
      parse(call("Twice", "input: 'x' output: 'h' ") + call("User", "input: 'h' output: 'y' "), user + old + twice);
  const std::vector<float> before = run(model);
  const Report report = inline_small_functions().run(model);
  CHECK(report.changes == 2);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == "left the function 'Old': 'User' calls it and imports other versions");
  CHECK(names(model.commit()) == "User Old ");
  CHECK(run(model) == before);
}

TEST_CASE("a function is left if it would come by way of another into one where it means something else") {
  const std::string old = function("Old", "input: 'a' output: 'b' " + node("Relu", "input: 'a' output: 'b' "), 13);
  const std::string between = function("Between", "input: 'a' output: 'b' " + call("Old", "input: 'a' output: 'b' "));
  const std::string user =
      function("User", "input: 'a' output: 'b' " + call("Between", "input: 'a' output: 'p' ") +
                           node("Neg", "input: 'p' output: 'q' ") + node("Abs", "input: 'q' output: 'b' "));
  Model model = parse(call("User", "input: 'x' output: 'y' "), user + between + old);
  const std::vector<float> before = run(model);
  const Report report = inline_small_functions().run(model);
  CHECK(report.changes == 2);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == "left the function 'Old': 'User' calls it and imports other versions");
  CHECK(names(model.commit()) == "User Old ");
  CHECK(run(model) == before);
}

TEST_CASE("functions are written out, but stay where a training step may call them") {
  for (const Pass& pass : {inline_small_functions(), inline_functions()}) {
    INFO(pass.name());
    Model model =
        parse(call("Twice", "input: 'x' output: 'y' "),
              "training_info { algorithm { name: 't' " + call("Twice", "input: 'x' output: 'y' ") + "} } " + twice);
    CHECK(pass.run(model).changes == 1);
    CHECK(names(model.commit()) == "Twice ");
    CHECK(model.graph().nodes().begin()->is("Add"));
    CHECK(pass.run(model).changes == 0);
  }
}

TEST_CASE("functions are written out where a call leaves an output unused") {
  const std::string both =
      function("Both", "input: 'a' output: 'p' output: 'n' " + node("Abs", "input: 'a' output: 'p' ") +
                           node("Neg", "input: 'a' output: 'n' "));
  // All are used, one is not, one is not named, one is not given.
  const std::string uses_all =
      call("Both", "input: 'x' output: 'p' output: 'n' ") + node("Add", "input: 'p' input: 'n' output: 'y' ");
  Model kept = parse(uses_all, both);
  CHECK(inline_functions_with_unused_outputs().run(kept).changes == 0);
  for (const char* const outputs : {"output: 'y' output: 'n' ", "output: 'y' output: '' ", "output: 'y' "}) {
    INFO(outputs);
    Model model = parse(call("Both", std::string("input: 'x' ") + outputs), both);
    const std::vector<float> before = run(model);
    CHECK((inline_functions_with_unused_outputs() | eliminate_dead_code()).run(model).changes > 0);
    CHECK(model.functions().empty());
    CHECK(model.graph().nodes().size() == 1);
    model.commit();
    CHECK(run(model) == before);
  }
}

TEST_CASE("a call in a function, or one that nothing uses, counts too") {
  const std::string idle = call("Twice", "input: 'x' output: 'z' ") + node("Neg", "input: 'x' output: 'y' ");
  Model unused = parse(idle, twice);
  CHECK(inline_functions_with_unused_outputs().run(unused).changes == 2);
  const std::string caller = function("Caller", "input: 'a' output: 'b' " + call("Twice", "input: 'a' output: 'z' ") +
                                                    node("Relu", "input: 'a' output: 'b' "));
  Model inside =
      parse(call("Caller", "input: 'x' output: 'h' ") + call("Twice", "input: 'h' output: 'y' "), caller + twice);
  CHECK(inline_functions_with_unused_outputs().run(inside).changes == 3);
  CHECK(names(inside.commit()) == "Caller ");
  CHECK(inside.functions()[0]->nodes().size() == 2);
}
