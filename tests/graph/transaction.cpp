#include <graft/graph/transaction.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <catch2/catch.hpp>
#include <graft/graph/build.hpp>

using namespace graft;

namespace {

/// An input and an input with a default, an initializer, a node that nothing reads, and a local function.
Model model_with_all() {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  b.input("unused", DType::f32, {2});
  b.input("default", DType::f32, {2});
  Value& sum = b.op("Add", {&b.op("Relu", {&x}), &b.constant(Tensor::of<float>({2}, {1, 2}), "w")});
  Value& dead = b.op("Neg", {&sum});
  b.graph().rename(dead, "dead");
  b.output(sum, "y");
  onnx::ModelProto proto(b.build().commit());
  for (const char* const name : {"default", "idle"}) {
    onnx::TensorProto tensor = proto.graph().initializer(0);
    tensor.set_name(name);
    *proto.mutable_graph()->add_initializer() = tensor;
  }
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_domain("own");
  function.set_name("f");
  function.add_opset_import()->set_version(17);
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("each kind of edit is taken back") {
  const auto value = [](Model& model, const char* name) -> Value& { return *model.graph().find(name); };
  const auto type = tensor_type(DType::f32, Shape({2}));
  onnx::FunctionProto function;
  function.set_domain("own");
  function.set_name("g");
  const std::pair<const char*, std::function<void(Model&, Graph&)>> edits[] = {
      {"insert a node", [&](Model& m, Graph& g) { g.insert("Abs", {&value(m, "x")}, 1); }},
      {"erase a node", [&](Model&, Graph& g) { g.erase(*g.last_node()); }},
      {"set an input", [&](Model& m, Graph& g) { REQUIRE(g.set_input(*g.first_node(), 0, &value(m, "w"))); }},
      {"move a node",
       [&](Model& m, Graph& g) { REQUIRE(g.order(g.insert("Abs", {&value(m, "x")}, 1), *g.first_node())); }},
      {"edit a payload", [&](Model&, Graph& g) { g.rename(*g.first_node(), "renamed"); }},
      {"change an operator", [&](Model&, Graph& g) { g.set_op(*g.first_node(), "Abs"); }},
      {"resize inputs", [&](Model&, Graph& g) { g.resize_inputs(*g.last_node(), 0); }},
      {"rename a value", [&](Model& m, Graph& g) { g.rename(value(m, "w"), "renamed"); }},
      {"omit an output", [&](Model& m, Graph& g) { g.omit(value(m, "dead")); }},
      {"set a type", [&](Model& m, Graph& g) { g.set_type(value(m, "dead"), type); }},
      {"declare a type", [&](Model& m, Graph& g) { g.declare_type(value(m, "dead"), type); }},
      {"add an initializer", [&](Model&, Graph& g) { g.add_initializer(Tensor::scalar(1.0f), "added"); }},
      {"set an initializer", [&](Model& m, Graph& g) { g.set_initializer(value(m, "w"), Tensor::scalar(1.0f)); }},
      {"erase an initializer", [&](Model& m, Graph& g) { g.erase(value(m, "idle")); }},
      {"erase a default", [&](Model& m, Graph& g) { g.erase(value(m, "default")); }},
      {"add an input", [&](Model&, Graph& g) { g.add_input("added", type); }},
      {"remove an input", [&](Model& m, Graph& g) { g.remove_input(value(m, "unused")); }},
      {"make an input an initializer", [&](Model& m, Graph& g) { g.remove_input(value(m, "default")); }},
      {"add an output", [&](Model& m, Graph& g) { g.add_output(value(m, "dead")); }},
      {"remove an output", [&](Model&, Graph& g) { g.remove_output(0); }},
      {"add a function", [&](Model& m, Graph&) { m.add_function(function); }},
      {"drop functions", [&](Model& m, Graph&) { m.clear_functions(); }},
      {"drop a function", [&](Model& m, Graph&) { m.remove_functions(std::vector{m.functions()[0]}); }},
      {"raise the IR version", [&](Model& m, Graph&) { m.set_ir_version(9); }},
      {"change an opset", [&](Model& m, Graph&) { m.set_opset(18); }},
      {"import a domain", [&](Model& m, Graph&) { m.set_opset(3, "own"); }},
      {"add metadata", [&](Model& m, Graph&) { m.set_metadata("key", "value"); }},
  };
  for (const auto& [what, edit] : edits) {
    INFO(what);
    Model model = model_with_all();
    const std::string before = model.serialize();
    {
      Transaction transaction(model.graph());
      const std::uint64_t count = model.edit_count();
      edit(model, model.graph());
      CHECK(model.edit_count() > count);
    }
    CHECK(model.serialize() == before);
    CHECK(model.opset("own") == 0);
    CHECK(model.functions().size() == 1);
    CHECK(model.functions()[0]->reachable());
    edit(model, model.graph());  // nothing is in the way of making it again
    if (std::string_view(what) != "set a type") CHECK(model.serialize() != before);  // types are the view's own
  }
}

TEST_CASE("a transaction that is not kept leaves no trace") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("Relu", {&x}), "y");
  Model model = b.build();
  const std::string before = model.serialize();
  {
    Transaction transaction(model.graph());
    model.graph().insert("Neg", {&x}, 1);
    model.set_opset(18);
    model.set_metadata("key", "value");
  }
  CHECK(model.serialize() == before);
}

TEST_CASE("restart takes back what was done so far, and goes on") {
  Builder b(17);
  Value& x = b.input("x", DType::f32, {2});
  b.output(b.op("Relu", {&x}), "y");
  Model model = b.build();
  Transaction transaction(model.graph());
  model.graph().insert("Neg", {&x}, 1);
  transaction.restart();
  model.graph().insert("Abs", {&x}, 1);
  transaction.keep();
  CHECK(model.graph().nodes().size() == 2);
  CHECK(model.graph().last_node()->is("Abs"));
}
