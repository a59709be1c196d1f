#include <graft/lower/average_pool_to_depthwise_conv.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

Trial convolved(std::string_view text) { return given(text).rule(average_pool_to_depthwise_conv); }

}  // namespace

TEST_CASE("an average pool is a depthwise Conv whose weights are one over their number") {
  const std::string head = "x: f32[N,3,9,8]; h = Abs(x); ";
  const Trial padded = convolved(
      head + "y = AveragePool(h) {kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1], count_include_pad=1}");
  CHECK(padded.becomes(head + "y = Conv(h, f32[3,1,3,2] 0.16666667163372)"
                              "{group=3, kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,1]}"));
  CHECK(padded.equivalent({.dims = {{"N", 2}}}));
  const Trial plain = convolved("x: f32[2,1,8]; h = Abs(x); y = AveragePool(h) {kernel_shape=[4]}");
  CHECK(plain.becomes("x: f32[2,1,8]; h = Abs(x);"
                      "y = Conv(h, f32[1,1,4] 0.25) {group=1, kernel_shape=[4], strides=[1], pads=[0,0]}"));
  CHECK(plain.equivalent());
}

TEST_CASE("average_pool_to_depthwise_conv through all variants") {
  CHECK(variants(average_pool_to_depthwise_conv,
                 "x: f32[2,3,6,N]; h = Relu(x); y = AveragePool(h) {kernel_shape=[2,2], strides=[2,2]}"));
}

TEST_CASE("average_pool_to_depthwise_conv refuses") {
  const auto refuses = [](const std::string& attributes, std::string_view reason) {
    return convolved("x: f32[2,3,9,9]; h = Abs(x); y = AveragePool(h) {" + attributes + "}").refuses(reason);
  };
  CHECK(refuses("kernel_shape=[3,3], pads=[1,1,1,1]", "fewer values"));
  CHECK(refuses("kernel_shape=[2,2], ceil_mode=1, strides=[2,2]", "ceil_mode"));
  CHECK(refuses("kernel_shape=[2,2], auto_pad=\"SAME_UPPER\"", "auto_pad"));
  CHECK(convolved("opset 19; x: f32[2,3,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2], dilations=[2,2]}")
            .refuses("dilations"));
  CHECK(convolved("x: f32[2,3,9,9]; y = AveragePool(x) {kernel_shape=[2,2]}").refuses("no node makes"));
  CHECK(convolved("x: f32[2,C,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2]}").refuses("not known"));
  CHECK(convolved("x: f16[2,3,9,9]; h = Abs(x); y = AveragePool(h) {kernel_shape=[2,2]}").refuses());
}
