#include <graft/transformer/fuse/gelu.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string erf_gelu(const std::string& x) {
  return "Mul(" + x + ", Mul(Add(Erf(Div(" + x + ", f32[] 1.4142135)), f32[] 1), f32[] 0.5))";
}
std::string tanh_gelu(const std::string& x) {
  return "Mul(Mul(" + x + ", f32[] 0.5), Add(Tanh(Mul(Add(" + x + ", Mul(Pow(" + x +
         ", f32[] 3), f32[] 0.044715)), f32[] 0.7978845608)), f32[] 1))";
}

}  // namespace

TEST_CASE("a runtime gets the Gelus that it has") {
  const Pass ort = fuse_gelus(fused_operators::ort_cpu), standard = fuse_gelus(fused_operators::onnx);
  const std::string head = "x: f32[2,N,4]; ", biased = head + "b = f32[4] random; ", sum = "h = Add(x, b); ";
  CHECK(given(head + "y = " + erf_gelu("x")).pass(ort).becomes(head + "y = com.microsoft::Gelu(x)"));
  CHECK(given(biased + sum + "y = " + erf_gelu("h")).pass(ort).becomes(biased + "y = com.microsoft::BiasGelu(x, b)"));
  CHECK(given(biased + sum + "y = " + tanh_gelu("h")).pass(ort).becomes(biased + "y = com.microsoft::FastGelu(x, b)"));
  CHECK(
      given("opset 20; " + head + "y = " + erf_gelu("x")).pass(standard).becomes("opset 20; " + head + "y = Gelu(x)"));
  CHECK(given("opset 20; " + head + "y = " + tanh_gelu("x"))
            .pass(standard)
            .becomes("opset 20; " + head + "y = Gelu(x) {approximate=\"tanh\"}"));
  CHECK(given(head + "y = " + erf_gelu("x")).pass(standard).becomes(head + "y = " + erf_gelu("x")));
}

TEST_CASE("what the runtime fuses itself is left to it") {
  const std::string silu = "x: f32[2,N]; y = Mul(x, Sigmoid(x))";
  constexpr FusedOperator quick[] = {{"com.microsoft::QuickGelu"}};
  CHECK(given(silu)
            .pass(fuse_gelus({"one that does not", quick}))
            .becomes("x: f32[2,N]; y = com.microsoft::QuickGelu(x) {alpha=1.0}"));
  constexpr FusedOperator always[] = {{"com.microsoft::QuickGelu", AtLoad::fused}};
  CHECK(given(silu).pass(fuse_gelus({"one that does", always})).becomes(silu));
}
