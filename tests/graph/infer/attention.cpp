#include <graft/graph/infer/attention.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

TEST_CASE("attention of rank 4 keeps the heads of the queries and the size of the values") {
  CHECK(told("Attention", {"f32[B,8,4,16]", "f32[B,8,6,16]", "f32[B,8,6,10]"}, {}, {.opset = 23}) == "f32[B,8,4,10]");
  CHECK(told("Attention", {"f32[B,8,4,16]", "f32[B,2,6,16]", "f32[B,2,6,10]", "", "f32[B,2,5,16]", "f32[B,2,5,10]"}, {},
             {.opset = 23, .outputs = 4}) == "f32[B,8,4,10] f32[B,2,11,16] f32[B,2,11,10] f32[B,8,4,11]");
}

TEST_CASE("attention of rank 3 has its heads in attributes") {
  CHECK(told("Attention", {"f32[B,4,128]", "f32[B,6,32]", "f32[B,6,20]"}, {{"q_num_heads", 8}, {"kv_num_heads", 2}},
             {.opset = 23, .outputs = 3}) == "f32[B,4,80] f32[B,2,6,16] f32[B,2,6,10]");
  CHECK(told("Attention", {"f32[B,4,128]", "f32[B,8,6,16]", "f32[B,6,20]"}, {}, {.opset = 23}) ==
        "no: Q, K and V must all have rank 3 or all have rank 4");
}
