#include <graft/transformer/fuse/projections.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string stacked = "x: f32[B,S,24]; t = Transpose(Reshape(x, i64[5] {0, 0, 3, 2, 4})) {perm=[2,0,3,1,4]}; ";
const std::string sum = "y = Add(Sub(q, k), v)";

std::string parts(std::string_view q, std::string_view k, std::string_view v) {
  const auto part = [](std::string_view name, std::string_view from) {
    return std::string(name) + " = Transpose(Reshape(" + std::string(from) + ", apart)) {perm=[0,2,1,3]}; ";
  };
  return "x: f32[B,S,24]; apart = i64[4] {0, 0, 2, 4}; a, b, c = Split(x, i64[3] {8, 8, 8}) {axis=2}; " + part("q", q) +
         part("k", k) + part("v", v) + sum;
}

/// The graph becomes this one, and computes the same.
void check(const std::string& graph, const std::string& expected) {
  INFO(graph);
  CHECK(given(graph).rule(stacked_projections).becomes(expected));
  CHECK(given(graph).rule(stacked_projections).equivalent());
}

}  // namespace

TEST_CASE("projections that are stacked are split") {
  check(stacked + "q = Gather(t, i64[] 0); k = Gather(t, i64[] 1); v = Gather(t, i64[] -1); " + sum,
        parts("a", "b", "c"));
  check(stacked +
            "d, e, f = Split(t, i64[3] {1, 1, 1}) {axis=0}; q = Squeeze(d, i64[1] 0); k = Squeeze(e, i64[1] 0); "
            "v = Squeeze(f, i64[1] 0); " +
            sum,
        parts("a", "b", "c"));
  const auto slice = [](std::string_view start, std::string_view end) {
    return "Slice(t, i64[1] " + std::string(start) + ", i64[1] " + std::string(end) + ", i64[1] 0)";
  };
  check(stacked + "q = Squeeze(" + slice("0", "1") + ", i64[1] 0); k = Squeeze(" + slice("-2", "2") +
            ", i64[1] 0); v = Squeeze(" + slice("2", "9") + ", i64[1] 0); " + sum,
        parts("a", "b", "c"));
  check(stacked + "y = Reshape(" + slice("1", "2") + ", i64[2] {-1, 4})",
        "x: f32[B,S,24]; a, b, c = Split(x, i64[3] {8, 8, 8}) {axis=2}; "
        "y = Reshape(Transpose(Reshape(b, i64[4] {0, 0, 2, 4})) {perm=[0,2,1,3]}, i64[2] {-1, 4}); return y");
  check(
      "x: f32[S,B,12]; t = Transpose(Reshape(x, i64[4] {0, 0, 2, 6})) {perm=[2,0,1,3]}; "
      "y = Sub(Gather(t, i64[] 0), Gather(t, i64[] 1))",
      "x: f32[S,B,12]; a, b = Split(x, i64[2] {6, 6}) {axis=2}; y = Sub(a, b)");
  CHECK(given("opset 12; " + stacked + "q = Gather(t, i64[] 0); k = Gather(t, i64[] 1); v = Gather(t, i64[] 2); " + sum)
            .rule(stacked_projections)
            .equivalent());
}

TEST_CASE("stacked_projections refuses") {
  const auto refuses = [](const std::string& graph, std::string_view reason) {
    return given(graph).rule(stacked_projections).refuses(reason);
  };
  CHECK(refuses(stacked + "y = Gather(t, i64[1] 0)", "one by one"));
  CHECK(refuses(stacked + "y = Gather(t, i64[] 0) {axis=1}", "one by one"));
  CHECK(refuses(stacked + "y = Squeeze(Slice(t, i64[1] 0, i64[1] 1, i64[1] 1), i64[1] 1)", "one by one"));
  CHECK(refuses(stacked + "y = Reshape(Slice(t, i64[1] 0, i64[1] 1, i64[1] 0), i64[2] {0, -1})", "one by one"));
  CHECK(refuses(stacked + "y = Reshape(Slice(t, i64[1] 0, i64[1] 2, i64[1] 0), i64[2] {-1, 4})", "one by one"));
  CHECK(refuses(stacked + "z = Gather(t, i64[] 0); y = Add(z, Relu(t))", "one by one"));
  CHECK(refuses(stacked + "y = Gather(t, i64[] 0); return y, t", "one by one"));
  CHECK(
      refuses("x: f32[B,S,24]; t = Transpose(Reshape(x, i64[5] {0, 0, 3, 2, 4})) {perm=[3,0,2,1,4]}; "
              "y = Gather(t, i64[] 0)",
              "does not become the first"));
  CHECK(
      refuses("x: f32[2,6,4]; t = Transpose(Reshape(x, i64[5] {2, 2, 3, 2, 2})) {perm=[2,0,3,1,4]}; "
              "y = Gather(t, i64[] 0)",
              "more axes than the last one"));
}

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
