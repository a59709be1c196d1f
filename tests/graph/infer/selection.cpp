#include <graft/graph/infer/selection.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Tensor;

TEST_CASE("TopK leaves k along its axis") {
  CHECK(told("TopK", {"f32[N,9]", {4}}, {}, {.outputs = 2}) == "f32[N,4] i64[N,4]");
  CHECK(told("TopK", {"f32[N,9]", {4}}, {{"axis", 0}}, {.outputs = 2}) == "f32[4,9] i64[4,9]");
  CHECK(told("TopK", {"f32[N,9]", "i64[1]"}, {}, {.outputs = 2}) == "f32[N,?] i64[N,?]");
  CHECK(told("TopK", {"f32[N,9]"}, {{"k", 4}}, {.opset = 9, .outputs = 2}) == "f32[N,4] i64[N,4]");
}

TEST_CASE("Compress leaves as many as the condition has ones") {
  const Tensor condition = Tensor::of<bool>({3}, {true, false, true});
  CHECK(told("Compress", {"f32[N,9]", condition}) == "f32[2]");
  CHECK(told("Compress", {"f32[N,9]", condition}, {{"axis", 1}}) == "f32[N,2]");
  CHECK(told("Compress", {"f32[N,9]", "bool[3]"}, {{"axis", -1}}) == "f32[N,?]");
}

TEST_CASE("what only the data knows") {
  CHECK(told("NonZero", {"f32[N,9]"}) == "i64[2,?]");
  CHECK(told("NonMaxSuppression", {"f32[1,9,4]", "f32[1,2,9]"}) == "i64[?,3]");
  CHECK(told("Unique", {"f32[3,4]"}, {}, {.outputs = 4}) == "f32[?] i64[?] i64[12] i64[?]");
  CHECK(told("Unique", {"f32[3,4]"}, {{"axis", 1}}, {.outputs = 4}) == "f32[3,?] i64[?] i64[4] i64[?]");
}
