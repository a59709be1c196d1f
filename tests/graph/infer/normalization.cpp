#include <graft/graph/infer/normalization.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::DType;

TEST_CASE("BatchNormalization keeps the shape; statistics are one for each channel") {
  const std::initializer_list<Operand> inputs = {"f32[N,3,4]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"};
  CHECK(told("BatchNormalization", inputs) == "f32[N,3,4]");
  CHECK(told("BatchNormalization", inputs, {{"training_mode", 1}}, {.opset = 15, .outputs = 3}) ==
        "f32[N,3,4] f32[3] f32[3]");
  CHECK(told("BatchNormalization", inputs, {}, {.opset = 9, .outputs = 5}) == "f32[N,3,4] f32[3] f32[3] f32[3] f32[3]");
}

TEST_CASE("LayerNormalization keeps the shape; statistics are 1 along the normalized axes") {
  CHECK(told("LayerNormalization", {"f16[N,3,4]", "f16[4]"}, {}, {.outputs = 3}) == "f16[N,3,4] f32[N,3,1] f32[N,3,1]");
  CHECK(told("LayerNormalization", {"f16[N,3,4]", "f16[3,4]"}, {{"axis", 1}, {"stash_type", DType::f16}},
             {.outputs = 2}) ==
        "f16[N,3,4] f16[N,1,1]");
  CHECK(told("LayerNormalization", {"f32[N,3,4]", "f32[4]"}, {}, {.opset = 9}) == "f32[N,3,4]");
}
