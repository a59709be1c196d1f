#include <graft/simplify/fuse/pad_into_conv.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,2,4,5]; w = f32[3,2,3,3] random; b = f32[3] random; ";

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(pad_into_conv).refuses(reason);
}

}  // namespace

TEST_CASE("pad_into_conv adds up") {
  CHECK(given(head + "y = Conv(Pad(x, i64[8] {0,0,1,2,0,0,3,4}), w, b) {pads=[1,1,0,0], strides=[2,1]}")
            .rule(pad_into_conv)
            .becomes(head + "y = Conv(x, w, b) {pads=[2,3,3,4], strides=[2,1]}"));
  CHECK(given(head + "y = Conv(Pad(x, i64[8] {0,0,1,2,0,0,3,4}, f32[] 0) {mode=\"constant\"}, w, b)"
                     "{auto_pad=\"VALID\"}")
            .rule(pad_into_conv)
            .becomes(head + "y = Conv(x, w, b) {pads=[1,2,3,4]}"));
  CHECK(given("opset 10;" + head + "y = Conv(Pad(x) {pads=[0,0,1,2,0,0,3,4]}, w, b)")
            .rule(pad_into_conv)
            .becomes("opset 10;" + head + "y = Conv(x, w, b) {pads=[1,2,3,4]}"));
  CHECK(given("opset 18;" + head + "y = Conv(Pad(x, i64[4] {1,2,3,4}, _, i64[2] {-1,2}), w, b)")
            .rule(pad_into_conv)
            .becomes("opset 18;" + head + "y = Conv(x, w, b) {pads=[2,1,4,3]}"));
}

TEST_CASE("pad_into_conv through all variants") {
  const VariantReport report = variants(
      pad_into_conv, head + "h = Pad(x, i64[8] {0,0,1,0,0,0,0,2}, f32[] 0); y = Conv(h, w, b) {pads=[0,1,1,0]}");
  CHECK(report);
  CHECK(report.find("%h without input constant_value")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("auto_pad=\"SAME_UPPER\" at %y")->outcome == Variant::Outcome::refused);
  CHECK(report.find("mode=\"edge\" at %h")->outcome == Variant::Outcome::refused);
  CHECK(variants(pad_into_conv, "opset 10;" + head + "h = Pad(x) {pads=[0,0,1,0,0,0,0,2]}; y = Conv(h, w, b)"));
  CHECK(variants(pad_into_conv, "opset 18;" + head + "h = Pad(x, i64[4] {1,2,3,4}, _, i64[2] {-1,2}); y = Conv(h, w)"));
}

TEST_CASE("pad_into_conv refuses") {
  const auto padded = [](std::string_view pad, std::string_view attributes) {
    return head + "y = Conv(Pad(x, " + std::string(pad) + ", w, b) " + std::string(attributes);
  };
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0}, f32[] 1)", ""), "value"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0}) {mode=\"reflect\"}", ""), "mode"));
  CHECK(refuses(padded("i64[8] {1,0,1,0,0,0,0,0})", ""), "batch or channels"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,-1,0})", "{pads=[0,0,2,0]}"), "crops"));
  CHECK(refuses(padded("i64[8] {0,0,1,0,0,0,0,0})", "{auto_pad=\"SAME_LOWER\"}"), "auto_pad"));
  CHECK(refuses(head + "p: i64[8]; y = Conv(Pad(x, p), w)", "constant"));
  CHECK(refuses(head + "v: f32[]; y = Conv(Pad(x, i64[8] {0,0,1,0,0,0,0,0}, v), w)", "constant"));
}
