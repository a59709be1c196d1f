#include <graft/surgery/remove_shapes.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/surgery/infer_shapes.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;

namespace {

const std::string text =
    "x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ s = Neg(h); t = Abs(s) }, "
    "else_branch={ e = Sub(h, h) }}";

}  // namespace

TEST_CASE("no inner value is declared any more, in bodies neither", "[remove_shapes]") {
  Model model = graph(text);
  infer_shapes().run(model);
  model.commit();
  REQUIRE(model.proto().graph().value_info_size() == 1);
  REQUIRE(model.proto().graph().node(1).attribute(0).g().value_info_size() == 1);
  CHECK(remove_shapes().run(model).changes == 2);
  model.commit();
  CHECK(model.proto().graph().value_info_size() == 0);
  CHECK(model.proto().graph().node(1).attribute(0).g().value_info_size() == 0);
  CHECK(model.proto().graph().output(0).type().tensor_type().shape().dim_size() == 1);
  CHECK(model.proto().graph().node(1).attribute(0).g().output(0).has_type());
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph(text), model));
  CHECK(remove_shapes().run(model).changes == 0);
}

TEST_CASE("what was declared and not yet written is not written", "[remove_shapes]") {
  Model model = graph(text);
  (infer_shapes() | remove_shapes()).run(model);
  infer_shapes(model.graph());  // what a view knows by itself is not written either
  CHECK(model.commit().graph().value_info_size() == 0);
  infer_shapes().run(model);
  CHECK(model.commit().graph().value_info_size() == 1);
}
