#include <graft/lower/decompose_fused_conv.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("FusedConv becomes Conv and what is behind it") {
  const std::string head = "opset 17; x: f32[1,2,5,5]; w: f32[4,2,3,3]; z: f32[1,4,3,3]; ";
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w) {strides=[2,2], activation=\"Relu\"}")
            .rule(decompose_fused_conv)
            .becomes(head + "y = Relu(Conv(x, w) {strides=[2,2]})"));
  CHECK(given(head + "y = com.microsoft::FusedConv(x, w, _, z) {activation=\"Clip\", activation_params=[0.0, 6.0]}")
            .rule(decompose_fused_conv)
            .becomes(head + "y = Clip(Add(Conv(x, w), z), f32[] 0, f32[] 6)"));
}

TEST_CASE("decompose_fused_conv refuses") {
  const auto refuses = [](const std::string& opset, const std::string& activation, const char* why) {
    return given(opset + "x: f32[1,2,5,5]; w: f32[4,2,3,3]; y = com.microsoft::FusedConv(x, w) {activation=\"" +
                 activation + "\"}")
        .rule(decompose_fused_conv)
        .refuses(why);
  };
  CHECK(refuses("opset 17; ", "Elu", "activation is not known"));
  CHECK(refuses("opset 6; ", "Relu", "opset 7"));
}
