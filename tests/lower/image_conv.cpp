#include <graft/lower/image_conv.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(image_conv_to_depth).refuses(reason);
}

std::string conv(std::string_view image, std::string_view weight, std::string_view attributes) {
  return "x: f32[" + std::string(image) + "]; w = f32[" + std::string(weight) + "] random; b = f32[64] random; " +
         "y = Conv(x, w, b) {strides=[2,2]" + std::string(attributes) + "}";
}

}  // namespace

TEST_CASE("a Conv that strides over an image reads blocks of it instead") {
  Model model = graph("x: f32[N,3,8,6]; w = f32[64,3,3,3] random; y = Conv(x, w) {strides=[2,2], pads=[1,1,1,1]}");
  CHECK(sweep(image_conv_to_depth).run(model).changes == 1);
  const Node& made = *model.graph().outputs()[0]->producer();
  CHECK(made.input(0)->producer()->is("SpaceToDepth"));
  CHECK(made.input(1)->constant()->dims() == Dims{64, 12, 2, 2});
  CHECK(made.attr<Ints>("pads") == Ints{1, 1, 0, 0});
  CHECK(made.attr<Ints>("strides") == Ints{1, 1});
  CHECK(made.attr<Ints>("kernel_shape") == Ints{2, 2});
  CHECK(sweep(image_conv_to_depth).run(model).changes == 0);
}

TEST_CASE("image_conv_to_depth gives the same results, whatever the padding") {
  for (const char* const kernel : {"3,3", "4,4", "5,5", "6,6", "7,7", "3,7", "6,5"}) {
    for (const char* const attributes :
         {"", ", pads=[1,1,1,1]", ", pads=[2,2,2,2]", ", pads=[3,3,3,3]", ", pads=[0,1,1,0]", ", pads=[1,2,4,3]",
          ", auto_pad=\"SAME_UPPER\"", ", auto_pad=\"SAME_LOWER\"", ", auto_pad=\"VALID\""}) {
      INFO(kernel << attributes);
      for (const char* const image : {"1,3,8,10", "2,3,14,8", "1,3,8,8"})
        CHECK(given(conv(image, "64,3," + std::string(kernel), attributes)).rule(image_conv_to_depth).equivalent());
    }
  }
  CHECK(given(conv("1,1,30,8", "64,1,5,5", "")).rule(image_conv_to_depth).equivalent());
  CHECK(given(conv("1,2,6,8", "64,2,6,8", "")).rule(image_conv_to_depth).equivalent());
}

TEST_CASE("image_conv_to_depth through all variants") {
  CHECK(variants(image_conv_to_depth, conv("1,3,8,8", "64,3,3,3", ", pads=[1,1,1,1]")));
}

TEST_CASE("image_conv_to_depth refuses") {
  CHECK(refuses(conv("1,4,8,8", "64,4,3,3", ""), "channels"));
  CHECK(refuses(conv("1,3,8,8", "64,1,5,5", ", group=3"), "groups"));
  CHECK(refuses(conv("1,3,7,8", "64,3,3,3", ""), "odd"));
  CHECK(refuses(conv("1,3,H,8", "64,3,3,3", ""), "not known"));
  CHECK(refuses(conv("1,3,8,8", "64,3,3,3", ", dilations=[2,2]"), "dilations"));
  CHECK(refuses(conv("1,3,8,8", "64,3,3,3", ", pads=[0,-1,0,0]"), "crop"));
  CHECK(refuses("x: f32[1,3,8,8]; w = f32[64,3,3,3] random; y = Conv(x, w)", "strides"));
  CHECK(refuses("x: f32[1,3,8,8]; w = f32[8,3,3,3] random; y = Conv(x, w) {strides=[2,2]}", "too few elements"));
  CHECK(
      refuses("q: u8[1,3,8,8]; w = f32[64,3,3,3] random; "
              "y = Conv(DequantizeLinear(q, f32[] 0.1, u8[] 3), w) {strides=[2,2]}",
              "dequantized"));
  CHECK(refuses("x: f32[1,3,8]; w = f32[640,3,3] random; y = Conv(x, w) {strides=[2]}", "two spatial axes"));
}
