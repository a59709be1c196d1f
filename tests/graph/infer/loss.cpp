#include <graft/graph/infer/loss.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

TEST_CASE("a loss is a scalar unless it is not reduced") {
  CHECK(told("NegativeLogLikelihoodLoss", {"f32[N,C,8]", "i64[N,8]"}) == "f32[]");
  CHECK(told("NegativeLogLikelihoodLoss", {"f32[N,C,8]", "i64[3,8]"}, {{"reduction", "none"}}) == "f32[3,8]");
  CHECK(told("SoftmaxCrossEntropyLoss", {"f32[N,C]", "i64[N]"}, {}, {.outputs = 2}) == "f32[] f32[N,C]");
  CHECK(told("SoftmaxCrossEntropyLoss", {"f32[2,C]", "i64[3]"}, {{"reduction", "none"}}) ==
        "no: scores and labels differ in extent");
}
