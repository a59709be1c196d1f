#include <graft/lower/packed_attention.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string packed(std::string_view batch) {
  const std::string heads = "f32[" + std::string(batch) + ",2,S,4]; ";
  return "q: " + heads + "k: " + heads + "v: " + heads +
         "n: i32[N]; y = custom::PackedAttention(q, k, v, n) {num_heads=2, scale=0.5}";
}

}  // namespace

TEST_CASE("packed attention becomes PackedMultiHeadAttention with the offsets of its tokens") {
  CHECK(given(packed("1"))
            .pass(packed_attentions_to_packed_mhas())
            .becomes("q: f32[1,2,S,4]; k: f32[1,2,S,4]; v: f32[1,2,S,4]; n: i32[N]; two = i64[2] {0, -1};"
                     "a = Reshape(Transpose(q) {perm=[2, 0, 1, 3]}, two);"
                     "b = Reshape(Transpose(k) {perm=[2, 0, 1, 3]}, two);"
                     "c = Reshape(Transpose(v) {perm=[2, 0, 1, 3]}, two);"
                     "zero = i64[1] {0}; last = i64[1] {-1}; one = i64[1] {1};"
                     "s = Slice(n, zero, last, zero);"
                     "l = Sub(Slice(n, one, i64[1] {9223372036854775807}, zero), s);"
                     "m = ReduceMax(l) {keepdims=0}; first = i32[] 0; step = i32[] 1; t = Range(first, m, step);"
                     "r = Unsqueeze(Range(first, Cast(Size(s)) {to=6}, step), one);"
                     "p = Add(Mul(r, m), t); w = Reshape(Less(t, Unsqueeze(l, one)), last);"
                     "o = Reshape(Concat(Compress(p, w), Compress(p, Not(w))) {axis=0}, Shape(p));"
                     "h = com.microsoft::PackedMultiHeadAttention(a, b, c, _, o, n) {num_heads=2, scale=0.5};"
                     "y = Transpose(Reshape(h, i64[4] {0, 1, 2, -1})) {perm=[1, 0, 2, 3]}"));
}

TEST_CASE("packed attention of several batches stays") {
  for (const std::string_view batch : {"2", "B"})
    CHECK(given(packed(batch)).rule(packed_attention_to_packed_mha).refuses("batch"));
}
