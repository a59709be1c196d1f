#include <graft/lower/packed_attention.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string packed = "y = custom::PackedAttention(q, k, v, n) {num_heads=2, scale=0.5}";

std::string inputs(std::string_view lengths = "i32[N]", std::string_view dtype = "f32") {
  const std::string heads = std::string(dtype) + "[B,2,S,4]; ";
  return "q: " + heads + "k: " + heads + "v: " + std::string(dtype) + "[B,2,S,3]; n: " + std::string(lengths) + "; ";
}

std::string loop(bool casts, std::string_view dtype, std::string_view attributes) {
  const std::string lengths = casts ? "m" : "n";
  return "joined = i64[3] {0, 0, -1}; a = Reshape(Transpose(q) {perm=[0, 2, 1, 3]}, joined);"
         "b = Reshape(Transpose(k) {perm=[0, 2, 1, 3]}, joined);"
         "c = Reshape(Transpose(v) {perm=[0, 2, 1, 3]}, joined); zero = i64[1] {0}; one = i64[1] {1};" +
         std::string(casts ? "m = Cast(n) {to=7}; " : "") + "s = Slice(" + lengths +
         ", zero, i64[1] {-1}, zero);"
         "e = Slice(" +
         lengths +
         ", one, i64[1] {9223372036854775807}, zero);"
         "j = Loop(Size(s), _, Slice(c, zero, zero, one)) {body={ i: i64[]; g: bool[]; t: " +
         std::string(dtype) +
         ";"
         "at = Unsqueeze(i, zero); from = Gather(s, at); to = Gather(e, at);"
         "o = com.microsoft::MultiHeadAttention(Slice(a, from, to, one), Slice(b, from, to, one),"
         "  Slice(c, from, to, one)) {" +
         std::string(attributes) +
         "};"
         "l = Concat(t, o) {axis=1}; h = Identity(g); return h, l }};"
         "y = Reshape(j, i64[4] {0, 0, 2, -1})";
}

}  // namespace

TEST_CASE("packed attention becomes a loop over its sequences") {
  CHECK(given(inputs() + packed)
            .pass(packed_attentions_to_loops())
            .becomes(inputs() + loop(true, "f32", "num_heads=2, scale=0.5")));
  CHECK(given(inputs("i64[3]", "f16") + "y = custom::PackedAttention(q, k, v, n) {num_heads=2}")
            .pass(packed_attentions_to_loops())
            .becomes(inputs("i64[3]", "f16") + loop(false, "f16", "num_heads=2")));
}

TEST_CASE("packed attention: the import of its domain goes with its last node") {
  Model model = graph(inputs() + packed);
  CHECK(model.opset("custom") == 1);
  CHECK(packed_attentions_to_loops().run(model).changes == 1);
  CHECK(model.opset("custom") == 0);
  CHECK(model.opset("com.microsoft") == 1);
}

TEST_CASE("packed attention: the body of the loop has names of its own") {
  std::string taken;
  for (const char* const name :
       {"sequence", "goes_on", "joined", "index", "start", "end", "part", "part_0", "seen", "longer", "still_goes_on"})
    taken += "; " + std::string(name) + " = Neg(q)";
  Model model = graph(inputs() + packed + taken + "; again = custom::PackedAttention(k, q, v, n) {num_heads=2}");
  CHECK(packed_attentions_to_loops().run(model).changes == 2);
  CHECK(verify(model).empty());
}

TEST_CASE("packed attention of which too little is known stays") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(packed_attention_to_loop).refuses(reason);
  };
  CHECK(refuses(inputs() + "y = custom::PackedAttention(q, k, v, n) {scale=0.5}", "num_heads"));
  CHECK(refuses(inputs() + "y = custom::PackedAttention(q, k, v) {num_heads=2}", "lacks an input"));
  CHECK(refuses(inputs("f32[N]") + packed, "integers"));
  CHECK(refuses("opset 12; " + inputs() + packed, "opset 13"));
}
