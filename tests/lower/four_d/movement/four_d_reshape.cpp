#include <graft/lower/four_d/movement.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial widened(const std::string& text) { return given(text).pass(four_d_reshape()).changes_signature(); }

}  // namespace

TEST_CASE("a shape of three entries gets a 1 in front of the first that is not 0") {
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[3] {-1,6,4})")
            .becomes("x: f32[2,4,6]; y = Reshape(x, i64[4] {1,-1,6,4})"));
  CHECK(widened("x: f32[2,4,3,2]; y = Reshape(x, i64[3] {0,0,-1})")
            .becomes("x: f32[2,4,3,2]; y = Reshape(x, i64[4] {0,0,1,-1})"));
  CHECK(widened("x: f32[2,4,3,2]; y = Reshape(x, i64[3] 0)").becomes("x: f32[2,4,3,2]; y = Reshape(x, i64[4] 0)"));
  CHECK(widened("x: f32[2,0,6]; y = Reshape(x, i64[3] {0,2,6}) {allowzero=1}")
            .becomes("x: f32[2,0,6]; y = Reshape(x, i64[4] {1,0,2,6}) {allowzero=1}"));
}

TEST_CASE("the dims of an output follow its Reshape") {
  const Run run = widened("x: f32[2,4,6]; y = Relu(Reshape(x, i64[3] {-1,6,4}))").run();
  CHECK(run.model.graph().output(0)->shape().dims() == Dims{1, 2, 6, 4});
}

TEST_CASE("what is written of values around a Reshape follows, or goes") {
  const Run run = widened("x: f32[2,4,6]; h = Reshape(x, i64[3] {-1,6,4}) : f32[2,6,4]; y = Relu(h)").run();
  CHECK(run.model.proto().graph().value_info(0).type().tensor_type().shape().dim_size() == 4);
  // A Gemm does not take it: until a surgery replaces that, nothing is known.
  const Run open = widened(
                       "x: f32[1,4,6]; w = f32[6,2] random; h = Reshape(x, i64[3] {1,4,6}) : f32[1,4,6];"
                       "y = Gemm(Squeeze(h, i64[1] {0}), w)")
                       .run();
  CHECK(open.changed);
  CHECK(open.problems.empty());
  CHECK(!open.model.proto().graph().value_info(0).type().tensor_type().has_shape());
}

TEST_CASE("what else reads the shape of a Reshape keeps it") {
  CHECK(widened("s = i64[3] {2,3,4}; x: f32[24]; z: f32[4]; y = Reshape(x, s); e = Expand(z, s)")
            .becomes("s = i64[3] {2,3,4}; x: f32[24]; z: f32[4]; y = Reshape(x, i64[4] {1,2,3,4}); e = Expand(z, s)"));
}

TEST_CASE("other shapes stay, and those that copy extents of what is not 4-D") {
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[2] {-1,6})").refuses("three entries"));
  CHECK(widened("x: f32[2,4,6]; y = Reshape(x, i64[3] {0,0,-1})").refuses("rank 3"));
  CHECK(widened("x: f32[2,4,6]; s: i64[3]; y = Reshape(x, s)").refuses("not constant"));
}
