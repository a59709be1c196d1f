#include <graft/rewrite/scopes.hpp>

#include <catch2/catch.hpp>

#include "rewrite/words.hpp"

using namespace words;

TEST_CASE("a graph's scopes are itself, its bodies and theirs") {
  Builder inmost(17, "inmost");
  inmost.output(inmost.op("Relu", {&inmost.constant(floats({2}), "c")}), "t");
  const onnx::GraphProto leaf = inmost.build().proto().graph();
  Builder inside(17, "inside");
  Value& own_flag = inside.constant(Tensor::scalar(true), "own_flag");
  inside.output(inside.op("If", {&own_flag}, {{"then_branch", leaf}, {"else_branch", leaf}}), "i");
  Builder build(17);
  Value& flag = build.input("flag", DType::boolean, std::vector<Dim>{});
  Value& branch = build.op("If", {&flag}, {{"then_branch", inside.build().proto().graph()}, {"else_branch", leaf}});
  build.output(build.op("Relu", {&branch}), "y");
  onnx::ModelProto proto = build.build().proto();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_name("f");
  function.add_output("o");
  function.add_opset_import()->set_version(17);
  function.add_node()->set_op_type("Constant");
  function.mutable_node(0)->add_output("o");
  Model model(std::move(proto));
  Graph& graph = model.graph();
  Graph& body = *graph.first_node()->bodies()[0].graph;

  CHECK(scopes_of(graph).size() == 6);
  CHECK(with_bodies(graph).size() == 5);  // without the function
  CHECK(count_nodes(graph) == 2 + 1 + 1 + 1 + 1 + 1);
  CHECK(scopes_of(body).size() == 3);
  CHECK(scopes_of(body).front() == &body);
  CHECK(count_nodes(body) == 3);
  CHECK(scopes_of(*model.functions()[0]).size() == 1);

  const Node& deep = *body.first_node()->bodies()[1].graph->first_node();
  CHECK(is_alive(deep));
  Context context;
  Rewriter rw(graph, context);
  CHECK(rw.inline_body(*graph.first_node(), "else_branch"));
  CHECK(rw.accept());
  CHECK_FALSE(is_alive(deep));
  CHECK(scopes_of(graph).size() == 2);
}
