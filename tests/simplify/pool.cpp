#include <graft/simplify/pool.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[1,2,5,6]; ";
const std::string pad = "i64[8] {0,0,1,1,0,0,0,1}";
const std::string pads = "pads=[1,1,0,1]";

TestResult refuses(const RuleView& rule, const std::string& text, std::string_view reason) {
  return given(head + text).rule(rule).refuses(reason);
}

}  // namespace

TEST_CASE("pad_into_average_pool counts what it pads") {
  CHECK(
      given(head + "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[3,3], strides=[2,1]}")
          .rule(pad_into_average_pool)
          .becomes(head + "y = AveragePool(x) {kernel_shape=[3,3], strides=[2,1], count_include_pad=1, " + pads + "}"));
  CHECK(given(head + "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[3,3], pads=[0,0,1,1], count_include_pad=1}")
            .rule(pad_into_average_pool)
            .becomes(head + "y = AveragePool(x) {kernel_shape=[3,3], pads=[1,1,1,2], count_include_pad=1}"));
  CHECK(given("opset 18;" + head + "y = AveragePool(Pad(x, i64[2] {1,1}, _, i64[1] -1)) {kernel_shape=[3,3]}")
            .rule(pad_into_average_pool)
            .becomes("opset 18;" + head +
                     "y = AveragePool(x) {kernel_shape=[3,3], pads=[0,1,0,1], count_include_pad=1}"));
}

TEST_CASE("pad_into_average_pool refuses") {
  const RuleView& rule = pad_into_average_pool;
  CHECK(refuses(rule, "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[3,3], pads=[0,0,1,1]}", "does not count"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, " + pad + ", f32[] 1)) {kernel_shape=[3,3]}", "value"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[1,3]}", "kernel"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[3,3], ceil_mode=1}", "ceil_mode"));
  CHECK(
      refuses(rule, "y = AveragePool(Pad(x, " + pad + ")) {kernel_shape=[3,3], auto_pad=\"SAME_UPPER\"}", "auto_pad"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, i64[8] {0,1,0,0,0,0,0,0})) {kernel_shape=[3,3]}", "channels"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, i64[8] {0,0,-1,0,0,0,0,0})) {kernel_shape=[3,3]}", "crops"));
  CHECK(refuses(rule, "y = AveragePool(Pad(x, " + pad + ") {mode=\"edge\"}) {kernel_shape=[3,3]}", "mode"));
}

TEST_CASE("pad_into_max_pool pads with what is never the largest") {
  const auto becomes = [](const std::string& before, const std::string& value) {
    return given(head + "y = MaxPool(Pad(" + before + ", " + pad + value + ")) {kernel_shape=[3,3]}")
        .rule(pad_into_max_pool)
        .becomes(head + "y = MaxPool(" + before + ") {kernel_shape=[3,3], " + pads + "}");
  };
  CHECK(becomes("x", ", f32[] -3.4028234663852886e38"));
  CHECK(becomes("Relu(x)", ""));
  CHECK(becomes("Relu(x)", ", f32[] -1"));
  CHECK(becomes("Transpose(Clip(x, f32[] 0, f32[] 6)) {perm=[0,1,2,3]}", ""));
  CHECK(given("x: u8[1,2,5,6]; y = MaxPool(Pad(x, " + pad + ")) {kernel_shape=[3,3]}")
            .rule(pad_into_max_pool)
            .becomes("x: u8[1,2,5,6]; y = MaxPool(x) {kernel_shape=[3,3], " + pads + "}"));
  CHECK(given("x: i8[1,2,5,6]; y = MaxPool(Pad(x, " + pad + ", i8[] -128)) {kernel_shape=[3,3]}")
            .rule(pad_into_max_pool)
            .becomes("x: i8[1,2,5,6]; y = MaxPool(x) {kernel_shape=[3,3], " + pads + "}"));
}

TEST_CASE("pad_into_max_pool refuses") {
  const RuleView& rule = pad_into_max_pool;
  CHECK(refuses(rule, "y = MaxPool(Pad(x, " + pad + ")) {kernel_shape=[3,3]}", "largest"));
  CHECK(refuses(rule, "y = MaxPool(Pad(Relu(x), " + pad + ", f32[] 1)) {kernel_shape=[3,3]}", "largest"));
  CHECK(refuses(rule, "y = MaxPool(Pad(Clip(x, f32[] -1), " + pad + ")) {kernel_shape=[3,3]}", "largest"));
  CHECK(refuses(rule, "v: f32[]; y = MaxPool(Pad(Relu(x), " + pad + ", v)) {kernel_shape=[3,3]}", "not known"));
  CHECK(refuses(rule, "y = MaxPool(Pad(Relu(x), " + pad + ")) {kernel_shape=[3,3], dilations=[2,1]}", "dilated"));
  CHECK(refuses(rule, "y, i = MaxPool(Pad(Relu(x), " + pad + ")) {kernel_shape=[3,3]}; return y, i", "indices"));
}

TEST_CASE("pad_into_pool through all variants") {
  const VariantReport report = variants(
      pad_into_average_pool, head + "h = Pad(x, " + pad + ", f32[] 0); y = AveragePool(h) {kernel_shape=[3,2]}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(
      variants(pad_into_max_pool, head + "r = Relu(x); h = Pad(r, " + pad + "); y = MaxPool(h) {kernel_shape=[3,2]}"));
}
