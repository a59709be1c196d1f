#include <graft/lower/activation_before_max_pool.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("an activation that keeps the order goes in front of MaxPool") {
  const std::string head = "x: f32[2,3,6,6]; w = f32[4,3,1,1] 1; h = Conv(x, w); y = ";
  const auto becomes = [&](std::string_view before, std::string_view after) {
    return given(head + std::string(before)).rule(activation_before_max_pool).becomes(head + std::string(after));
  };
  CHECK(becomes("Relu(MaxPool(h) {kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]})",
                "MaxPool(Relu(h)) {kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]}"));
  CHECK(becomes("Clip(MaxPool(h) {kernel_shape=[2,2]}, f32[] 0, f32[] 6)",
                "MaxPool(Clip(h, f32[] 0, f32[] 6)) {kernel_shape=[2,2]}"));
}

TEST_CASE("activation_before_max_pool through all variants") {
  const VariantReport report = variants(activation_before_max_pool,
                                        "x: f32[1,2,6,6]; a = Neg(x);"
                                        "h = MaxPool(a) {kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]};"
                                        "y = Relu(h)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("another consumer of %a")->outcome == Variant::Outcome::refused);
}

TEST_CASE("activation_before_max_pool refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given("x: f32[1,2,6,6]; a = Neg(x); " + std::string(text)).rule(activation_before_max_pool).refuses(reason);
  };
  CHECK(refuses("y = Relu(MaxPool(a) {kernel_shape=[2,2], pads=[2,0,0,0]})", "padding"));
  CHECK(refuses("y = Relu(MaxPool(a) {kernel_shape=[2,2], ceil_mode=1})", "padding"));
  CHECK(refuses("y = Relu(MaxPool(a) {kernel_shape=[2,2], dilations=[2,2]})", "padding"));
  CHECK(refuses("y = Relu(AveragePool(a) {kernel_shape=[2,2]})", ""));
  CHECK(refuses("y = Relu(MaxPool(x) {kernel_shape=[2,2]})", "this use alone"));
  CHECK(refuses("m, i = MaxPool(a) {kernel_shape=[2,2]}; y = Relu(m); return y, i", ""));
}
