#include <catch2/catch.hpp>
#include "evaluate/backward/gradient_faults.hpp"

TEST_CASE("the gradients of operators that move elements are moved back") {
  for (const char* model : {
           "x: f32[2,3,4]; y = Transpose(x)",
           "x: f32[2,3,4]; y = Transpose(x) {perm=[1,2,0]}",
           "x: f32[2,1,3]; y = Expand(x, i64[4] {4, 1, 5, 1})",
           "x: f32[2,3]; y = Tile(x, i64[2] {3, 2})",
           "x: f32[1,8,2,3]; y = DepthToSpace(x) {blocksize=2}",
           "x: f32[2,8,2,3]; y = DepthToSpace(x) {blocksize=2, mode=\"CRD\"}",
           "x: f32[2,2,4,6]; y = SpaceToDepth(x) {blocksize=2}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}
