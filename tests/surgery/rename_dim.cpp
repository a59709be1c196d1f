#include <graft/surgery/rename_dim.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

TEST_CASE("a dim has its new name wherever it stands", "[rename_dim]") {
  Model model = graph("x: f32[batch,3]; s: sequence(f32[batch]); c: bool[]; h = Neg(x) : f32[batch,3]; "
                      "y = If(c) {then_branch={ t = Abs(h) : f32[batch,3] }, else_branch={ e = Neg(h) }}; return y");
  CHECK(rename_dim("batch", "N").run(model).changes >= 4);
  CHECK(unsound(model).empty());
  const onnx::GraphProto& proto = model.proto().graph();
  CHECK(to_string(proto.input(0).type()) == "f32[N,3]");
  CHECK(to_string(proto.input(1).type()) == "sequence(f32[N])");
  CHECK(to_string(proto.output(0).type()) == "f32[N,3]");
  CHECK(proto.DebugString().find("batch") == std::string::npos);
}

TEST_CASE("expressions that exporters write follow", "[rename_dim]") {
  onnx::ModelProto proto = graph("x: f32[batch]; y = Concat(x, x) {axis=0}").commit();
  proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)
      ->set_dim_param("2*batch + subbatch");
  Model model(proto);
  rename_dim("batch", "N").run(model);
  CHECK(model.commit().graph().output(0).type().tensor_type().shape().dim(0).dim_param() == "2*N + subbatch");
}

TEST_CASE("a dim that there is not, or is already, is an error", "[rename_dim]") {
  const auto why = [](const char* from, const char* to) {
    return refusal(graph("x: f32[N,M]; y = Neg(x)"), rename_dim(from, to));
  };
  CHECK_THAT(why("K", "L"), Contains("K: no dim of the model has this name"));
  CHECK_THAT(why("N", "M"), Contains("M: a dim of the model has this name already"));
  CHECK_THAT(why("N", ""), Contains("without a name"));
  CHECK(why("N", "N").empty());
}
