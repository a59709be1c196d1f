#include <graft/transformer/fuse/heads_into_attention.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/transformer_fusions.hpp>

using namespace graft;

namespace {

const std::string inputs = "opset 23; q: f32[B,S,8]; k: f32[B,T,4]; v: f32[B,T,6]; m: f32[S,T]; ";

std::string heads(std::string_view x, std::string_view target) {
  return "Transpose(Reshape(" + std::string(x) + ", i64[4] " + std::string(target) + ")) {perm=[0,2,1,3]}";
}

/// Four heads of queries and two of keys and values.
std::string attention(std::string_view attributes, std::string_view result = "y") {
  return inputs + std::string(result) + " = Attention(" + heads("q", "{0, 0, 4, 2}") + ", " +
         heads("k", "{0, 0, 2, 2}") + ", " + heads("v", "{0, -1, 2, 3}") + ", m) {" + std::string(attributes) + "}; ";
}

std::string joined(std::string_view target, std::string_view perm = "[0,2,1,3]") {
  return "y = Reshape(Transpose(a) {perm=" + std::string(perm) + "}, i64[3] " + std::string(target) + ")";
}

}  // namespace

TEST_CASE("Attention takes heads apart and joins them itself") {
  const Trial trial = given(attention("scale=0.5", "a") + joined("{0, 0, 12}")).rule(heads_into_attention);
  CHECK(trial.becomes(inputs + "y = Attention(q, k, v, m) {scale=0.5, q_num_heads=4, kv_num_heads=2}"));
  CHECK(trial.equivalent({.dims = {{"B", 2}, {"S", 3}, {"T", 5}}}));
  CHECK(given(attention("scale=0.5", "a") + joined("{0, -1, 12}")).rule(heads_into_attention).becomes(
      inputs + "y = Attention(q, k, v, m) {scale=0.5, q_num_heads=4, kv_num_heads=2}"));
}

TEST_CASE("heads that are joined otherwise, or read elsewhere, stay apart") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(heads_into_attention).refuses(reason);
  };
  CHECK(refuses(attention("scale=0.5", "a") + joined("{-1, 4, 3}"), "not joined in their order"));
  CHECK(refuses(attention("scale=0.5", "a") + joined("{0, 0, 12}", "[0,1,2,3]"), "perm"));
  CHECK(refuses(attention("scale=0.5", "a") + "z = Neg(a); " + joined("{0, 0, 12}"), "also used"));
  CHECK(refuses("opset 23; q: f32[B,4,S,2]; a = Attention(q, q, q); " + joined("{0, 0, 8}"), "right before it"));
}

TEST_CASE("the standard's operators have one Attention for a block, and nothing around it") {
  const std::string scores =
      "s = MatMul(" + heads("q", "{0, 0, 4, 2}") + ", Transpose(Reshape(k, i64[4] {0, 0, 4, 2})) {perm=[0,2,3,1]}); ";
  const std::string head = "opset 23; q: f32[B,S,8]; k: f32[B,S,8]; v: f32[B,S,8]; ";
  CHECK(given(head + scores + "a = MatMul(Softmax(Mul(s, f32[] 0.5)), " + heads("v", "{0, 0, 4, 2}") + "); " +
              joined("{0, 0, 8}"))
            .pass(transformer_fusions(fused_operators::onnx))
            .becomes(head + "y = Attention(q, k, v) {scale=0.5, q_num_heads=4, kv_num_heads=4}"));
}
