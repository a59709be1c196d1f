#include <graft/transformer/fuse/batched_transpose.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string merged(std::string_view first, std::string_view perm, std::string_view last) {
  return "x: f32[A,B,3,4]; d = Shape(x); a = Slice(d, i64[1] 0, i64[1] 2); m = Reshape(x, " + std::string(first) +
         "); t = Transpose(m) {perm=" + std::string(perm) + "}; y = Reshape(t, " + std::string(last) + ")";
}
const std::string usual = merged("i64[3] {-1, 3, 4}", "[0,2,1]", "Concat(a, i64[2] {4, 3}) {axis=0}");

}  // namespace

TEST_CASE("matrices that are transposed as one batch are transposed in place") {
  CHECK(given(usual).rule(batched_transpose).becomes("x: f32[A,B,3,4]; y = Transpose(x) {perm=[0,1,3,2]}"));
  std::string inside = usual;  // so that no output declares what an overridden extent would change
  inside.replace(inside.find("y ="), 3, "z =").append("; y = Relu(z)");
  CHECK(variants(batched_transpose, inside));
}

TEST_CASE("batched_transpose refuses") {
  const auto refuses = [](const std::string& graph, std::string_view reason) {
    return given(graph).rule(batched_transpose).refuses(reason);
  };
  CHECK(refuses(merged("i64[3] {-1, 4, 3}", "[0,2,1]", "Concat(a, i64[2] {3, 4}) {axis=0}"), "matrices"));
  CHECK(refuses(merged("i64[3] {-1, 3, 4}", "[0,2,1]", "Concat(a, i64[2] {3, 4}) {axis=0}"), "other axes"));
  CHECK(refuses(merged("i64[3] {-1, 3, 4}", "[0,2,1]", "i64[4] {1, -1, 4, 3}"), "other axes"));
  CHECK(refuses(merged("i64[3] {-1, 3, 4}", "[1,0,2]", "i64[4] {3, -1, 1, 4}"), "perm"));
}
