#include <graft/surgery/fix_dim.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("a dim is a number wherever it stands, and what follows is declared", "[fix_dim]") {
  Model model = graph("x: f32[N,S,8]; m: bool[N,S]; h = Reshape(x, i64[2] {-1,8}); y = MatMul(h, f32[8,2] random); "
                      "z = Not(m); return y, z");
  fix_dim("N", 4).run(model);
  fix_dim("S", 16).run(model);
  CHECK(unsound(model).empty());
  const onnx::GraphProto& proto = model.proto().graph();
  CHECK(to_string(proto.input(0).type()) == "f32[4,16,8]");
  CHECK(to_string(proto.input(1).type()) == "bool[4,16]");
  CHECK(to_string(proto.output(0).type()) == "f32[64,2]");
  CHECK(to_string(proto.output(1).type()) == "bool[4,16]");
}

TEST_CASE("value_info follows, in bodies too, and expressions are found anew", "[fix_dim]") {
  onnx::ModelProto written = graph("x: f32[N]; c: bool[]; h = Concat(x, x) {axis=0} : f32[M]; y = If(c) {then_branch={ "
                                   "s = Neg(h); t = Abs(s) : f32[M] }, else_branch={ e = Neg(h) }}; return y").commit();
  written.mutable_graph()->mutable_value_info(0)->mutable_type()->mutable_tensor_type()->mutable_shape()
      ->mutable_dim(0)->set_dim_param("2*N");
  Model model(written);
  fix_dim("N", 4).run(model);
  CHECK(unsound(model).empty());
  CHECK(to_string(model.proto().graph().value_info(0).type()) == "f32[8]");
  CHECK(to_string(model.proto().graph().output(0).type()) == "f32[8]");
}

TEST_CASE("an expression that nothing follows for is not known any more", "[fix_dim]") {
  onnx::ModelProto written = graph("x: f32[N]; y = own::Op(x) : f32[K]").commit();
  written.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)
      ->set_dim_param("2*N");
  Model model(written);
  fix_dim("N", 4).run(model);
  CHECK(to_string(model.commit().graph().output(0).type()) == "f32[?]");
}

TEST_CASE("a number that the model does not take is an error", "[fix_dim]") {
  const std::string text = "x: f32[N,3]; w: f32[M,3]; k = f32[5,3] random; y = Add(x, k); z = Neg(w); return y, z";
  CHECK_THAT(refusal(graph(text), fix_dim("N", 4)), Contains("N: cannot be 4: node 'y'"));
  CHECK(refusal(graph(text), fix_dim("N", 5)).empty());
  CHECK(refusal(graph(text), fix_dim("N", 1)).empty());
  CHECK_THAT(refusal(graph(text), fix_dim("N", -1)), Contains("not negative"));
  CHECK_THAT(refusal(graph(text), fix_dim("Q", 1)), Contains("Q: no dim"));
}
