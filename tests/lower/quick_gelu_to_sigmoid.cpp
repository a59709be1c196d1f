#include <graft/lower/quick_gelu_to_sigmoid.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("QuickGelu becomes a Sigmoid and products") {
  CHECK(given("x: f32[2,N]; y = com.microsoft::QuickGelu(x)")
            .pass(decompose_quick_gelus())
            .becomes("x: f32[2,N]; y = Mul(x, Sigmoid(Mul(f32[] 1.702, x)))"));
  CHECK(given("x: f16[2]; y = com.microsoft::QuickGelu(x) {alpha=0.5}")
            .pass(decompose_quick_gelus())
            .becomes("x: f16[2]; y = Mul(x, Sigmoid(Mul(f16[] 0.5, x)))"));
}

TEST_CASE("quick_gelu_to_sigmoid through all variants") {
  CHECK(variants(quick_gelu_to_sigmoid, "x: f32[2,N]; h = com.microsoft::QuickGelu(x) {alpha=1.25}; y = Neg(h)",
                 {.atol = 1e-6}));
}

TEST_CASE("the import of com.microsoft goes with its last node") {
  Model alone = graph("x: f32[2]; y = com.microsoft::QuickGelu(x)");
  decompose_quick_gelus().run(alone);
  CHECK(Model(alone.commit()).opset("com.microsoft") == 0);
  Model among = graph("x: f32[2]; y = com.microsoft::QuickGelu(com.microsoft::Gelu(x))");
  decompose_quick_gelus().run(among);
  CHECK(Model(among.commit()).opset("com.microsoft") == 1);
}

TEST_CASE("quick_gelu_to_sigmoid refuses") {
  CHECK(given("opset 6; x: f32[2]; y = com.microsoft::QuickGelu(x)").rule(quick_gelu_to_sigmoid).refuses("opset 7"));
}
