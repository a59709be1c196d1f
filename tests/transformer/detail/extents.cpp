#include <graft/transformer/detail/extents.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/graph/infer.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

bool has_many(std::string_view statements) {
  Model model = graph("x: f32[N,4,6]; z: f32[N,M,6]; " + std::string(statements) + "; out = Identity(y)");
  infer_shapes(model.graph());
  return detail::has_many(*model.graph().find("y"));
}

}  // namespace

TEST_CASE("what a Reshape makes of several for each has many") {
  CHECK(has_many("y = Reshape(x, i64[3] {-1, 2, 3})"));
  CHECK(has_many("y = Add(f32[6] 1, MatMul(Reshape(x, i64[3] {-1, 2, 6}), f32[6,6] random))"));
  CHECK(has_many("y = Reshape(Add(Reshape(x, i64[3] {-1, 2, 6}), f32[1,2,6] 1), i64[4] {-1, 2, 3, 2})"));
  CHECK(has_many("y = f32[2,3] 1"));
  CHECK_FALSE(has_many("y = f32[1,3] 1"));
  CHECK_FALSE(has_many("y = Relu(x)"));
  CHECK_FALSE(has_many("y = Reshape(x, i64[3] {-1, 6, 4})"));
  CHECK_FALSE(has_many("y = Reshape(x, i64[3] {-1, 8, 6})"));  // N may be 2
  CHECK_FALSE(has_many("y = Reshape(z, i64[2] {-1, 6})"));
  CHECK_FALSE(has_many("y = Add(Reshape(x, i64[3] {-1, 4, 6}), x)"));
}
