#include <graft/graph/local_functions.hpp>

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing/text.hpp>

using namespace graft;

namespace {

onnx::FunctionProto function(const char* name, const char* overload) {
  onnx::FunctionProto made;
  made.set_domain("own");
  made.set_name(name);
  made.add_input("a");
  made.add_output("a");
  made.GetReflection()->MutableUnknownFields(&made)->AddLengthDelimited(13)->assign(overload);
  return made;
}

}  // namespace

TEST_CASE("local functions are found by operator and overload") {
  onnx::ModelProto proto = graph("x: f32[2]; a = own::F(x); b = own::F(a); c = own::G(b); y = Neg(c)").commit();
  onnx::NodeProto& call = *proto.mutable_graph()->mutable_node(1);
  call.GetReflection()->MutableUnknownFields(&call)->AddLengthDelimited(8)->assign("int");
  *proto.add_functions() = function("F", "");
  *proto.add_functions() = function("F", "int");
  *proto.add_functions() = function("G", "int");
  *proto.add_functions() = function("F", "int");
  Model model(std::move(proto));
  const LocalFunctions functions(model);
  const std::vector<Graph*>& all = model.functions();
  std::vector<const Graph*> called;
  functions.for_each_call(model.graph(), [&](const Node&, const Graph& one) { called.push_back(&one); });
  CHECK(called == std::vector<const Graph*>{all[0], all[1]});
  CHECK(functions.called_by(*model.graph().find("c")->producer()) == nullptr);  // of no overload
  CHECK(functions.called_as(*all[2]) == all[2]);
  CHECK(functions.called_as(*all[3]) == all[1]);
  CHECK(LocalFunctions().called_by(*model.graph().find("a")->producer()) == nullptr);
}
