#include <graft/graph/infer/contrib.hpp>

#include <catch2/catch.hpp>

#include "graph/infer/told.hpp"

using graft::Ints;

TEST_CASE("quantized elementwise operators broadcast") {
  CHECK(told("com.microsoft::QLinearAdd", {"u8[N,3]", "f32[]", "u8[]", "u8[3]", "f32[]", "u8[]", "f32[]", "u8[]"}) ==
        "u8[N,3]");
  CHECK(told("com.microsoft::QLinearMul", {"i8[2,1]", "f32[]", "", "i8[1,3]", "f32[]", "", "f32[]"}) == "i8[2,3]");
  CHECK(told("com.microsoft::QLinearAdd", {"u8[2]", "f32[]", "u8[]", "u8[3]", "f32[]", "u8[]", "f32[]", "u8[]"}) ==
        "no: the inputs do not broadcast");
  CHECK(told("com.microsoft::QLinearWhere",
             {"bool[2,1]", "u8[3]", "f32[]", "u8[]", "u8[1]", "f32[]", "u8[]", "f32[]", "u8[]"}) == "u8[2,3]");
  CHECK(told("com.microsoft::QLinearSigmoid", {"u8[N,3]", "f32[]", "u8[]", "f32[]", "u8[]"}) == "u8[N,3]");
  CHECK(told("com.microsoft::QLinearReduceMean", {"u8[N,3]", "f32[]", "u8[]", "f32[]", "u8[]"},
             {{"axes", Ints{1}}, {"keepdims", 0}}) ==
        "u8[N]");
}

TEST_CASE("QGemm is quantized if it has an output scale") {
  CHECK(told("com.microsoft::QGemm", {"u8[2,3]", "f32[]", "u8[]", "i8[4,3]", "f32[]", "i8[]"}, {{"transB", 1}}) ==
        "f32[2,4]");
  CHECK(told("com.microsoft::QGemm", {"u8[2,3]", "f32[]", "u8[]", "i8[3,4]", "f32[]", "i8[]", "", "f32[]", "i8[]"}) ==
        "i8[2,4]");
}

TEST_CASE("fused products") {
  CHECK(told("com.microsoft::FusedMatMul", {"f32[B,3,2]", "f32[B,4,3]"}, {{"transA", 1}, {"transB", 1}}) ==
        "f32[B,2,4]");
  CHECK(told("com.microsoft::FusedMatMul", {"f32[2,B,3]", "f32[B,3,4]"}, {{"transBatchA", 1}}) == "f32[B,2,4]");
  CHECK(told("com.microsoft::MatMulIntegerToFloat", {"u8[2,3]", "i8[3,4]", "f32[]", "f32[]"}) == "f32[2,4]");
  CHECK(told("com.microsoft::MatMulNBits", {"f32[B,T,64]", "u8[32,2,16]", "f32[64]"}, {{"K", 64}, {"N", 32}}) ==
        "f32[B,T,32]");
  CHECK(told("com.microsoft::MatMulNBits", {"f32[B,60]", "u8[32,2,16]", "f32[64]"}, {{"K", 64}, {"N", 32}}) ==
        "no: the matrices do not fit");
}

TEST_CASE("attention of transformers") {
  CHECK(told("com.microsoft::Attention", {"f32[B,T,64]", "f32[64,192]", "f32[192]"}, {{"num_heads", 4}}) ==
        "f32[B,T,64]");
  CHECK(told("com.microsoft::Attention", {"f32[B,4,64]", "f32[64,192]", "f32[192]", "", "f32[2,B,4,5,16]"},
             {{"num_heads", 4}}, {.outputs = 2}) == "f32[B,4,64] f32[2,B,4,9,16]");
  CHECK(told("com.microsoft::Attention", {"f32[B,T,64]", "f32[64,80]", "f32[80]"},
             {{"num_heads", 4}, {"qkv_hidden_sizes", Ints{32, 32, 16}}}) == "f32[B,T,16]");
  CHECK(told("com.microsoft::MultiHeadAttention", {"f32[B,T,64]", "f32[B,S,64]", "f32[B,S,32]"}, {{"num_heads", 4}}) ==
        "f32[B,T,32]");
  CHECK(told("com.microsoft::MultiHeadAttention", {"f32[B,T,4,3,16]"}, {{"num_heads", 4}}) == "f32[B,T,64]");
  CHECK(told("com.microsoft::GroupQueryAttention",
             {"f32[B,T,96]", "", "", "f32", "f32", "i32[B]", "i32[]"}, {{"num_heads", 4}, {"kv_num_heads", 1}},
             {.outputs = 3}) == "f32[B,T,64] f32 f32");
}

TEST_CASE("fused normalizations") {
  CHECK(told("com.microsoft::SkipLayerNormalization", {"f32[B,T,64]", "f32[B,T,64]", "f32[64]"}, {}, {.outputs = 4}) ==
        "f32[B,T,64] f32[B,T,1] f32[B,T,1] f32[B,T,64]");
  CHECK(told("com.microsoft::EmbedLayerNormalization",
             {"i32[B,T]", "i32[B,T]", "f32[100,64]", "f32[50,64]", "f32[2,64]", "f32[64]", "f32[64]"}, {},
             {.outputs = 3}) ==
        "f32[B,T,64] i32[B] f32[B,T,64]");
}
