#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial kept(const std::string& text) { return given(text).pass(remove_intermediary_squeezes()).changes_signature(); }

}  // namespace

TEST_CASE("Squeeze and Unsqueeze within a net go, in chains too") {
  CHECK(kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Unsqueeze(Squeeze(h, i64[1] 0), i64[1] 1))")
            .becomes("x: f32[1,3,4,5]; y = Neg(Relu(x))"));
  CHECK(kept("opset 11; x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h) {axes=[0]})")
            .becomes("opset 11; x: f32[1,3,4,5]; y = Neg(Relu(x))"));
  CHECK(kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h, i64[1] 0)); z = Abs(h)")
            .becomes("x: f32[1,3,4,5]; h = Relu(x); y = Neg(h); z = Abs(h)"));
}

TEST_CASE("the dims of an output follow where a Squeeze goes") {
  const Run run = kept("x: f32[1,3,4,5]; h = Relu(x); y = Neg(Squeeze(h, i64[1] 0))").run();
  CHECK(run.model.graph().output(0)->shape().dims() == Dims{1, 3, 4, 5});
}

TEST_CASE("readers of a squeezed value wait for another surgery, unless one reads an output") {
  const std::string text =
      "x: f32[1,3,4,5]; h = Relu(x) : f32[1,3,4,5];"
      "y = Transpose(Squeeze(h, i64[1] 0)) {perm=[0,2,1]}";
  const Run run = kept(text).run();
  CHECK(run.changed);
  CHECK(run.problems.empty());
  CHECK(verify(run.model.graph()).empty());
  CHECK(!run.model.proto().graph().value_info(0).type().tensor_type().has_shape());
  CHECK(kept(text + "; return h, y").refuses("perm"));
}

TEST_CASE("those at the ends of the graph stay, and those of shapes") {
  CHECK(kept("x: f32[3,4]; y = Relu(Unsqueeze(x, i64[1] 0))").refuses("is a graph input"));
  CHECK(kept("x: f32[1,3,4]; y = Squeeze(Relu(x), i64[1] 0)").refuses("is a graph output"));
  CHECK(kept("x: f32[N,3,4]; n = Gather(Shape(x), i64[] 0);"
             "y = Reshape(x, Concat(Unsqueeze(n, i64[1] 0), i64[1] 12) {axis=0})")
            .refuses("positions"));
}
