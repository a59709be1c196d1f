#include <graft/lower/activation_order.hpp>

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
  CHECK(refuses("y = Relu(MaxPool(x) {kernel_shape=[2,2]})", "has other readers"));
  CHECK(refuses("m, i = MaxPool(a) {kernel_shape=[2,2]}; y = Relu(m); return y, i", ""));
}

TEST_CASE("an activation goes to the node whose result is moved, past any number of movements") {
  const auto becomes = [](std::string_view before, std::string_view after) {
    const std::string head = "x: f32[2,4,6,6]; w = f32[4,4,1,1] 1; h = Conv(x, w); y = ";
    return given(head + std::string(before)).rule(activation_before_movement).becomes(head + std::string(after));
  };
  CHECK(becomes("Relu(Transpose(h) {perm=[0,2,3,1]})", "Transpose(Relu(h)) {perm=[0,2,3,1]}"));
  CHECK(becomes("Clip(Reshape(h, i64[2] {2, -1}), f32[] 0, f32[] 6)",
                "Reshape(Clip(h, f32[] 0, f32[] 6), i64[2] {2, -1})"));
  CHECK(becomes("LeakyRelu(Flatten(Transpose(h) {perm=[0,2,3,1]}) {axis=2}) {alpha=0.5}",
                "Flatten(Transpose(LeakyRelu(h) {alpha=0.5}) {perm=[0,2,3,1]}) {axis=2}"));
  CHECK(becomes("Relu(DepthToSpace(h) {blocksize=2})", "DepthToSpace(Relu(h)) {blocksize=2}"));
}

TEST_CASE("activation_before_movement through all variants") {
  const VariantReport report = variants(activation_before_movement,
                                        "x: f32[2,3,4]; s = i64[2] {2, -1}; lo = f32[] -0.25; hi = f32[] 0.25;"
                                        "a = Neg(x); h = Reshape(a, s); y = Clip(h, lo, hi)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("another consumer of %a")->outcome == Variant::Outcome::refused);
  CHECK(report.find("%lo as an input that callers may override")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(activation_before_movement,
                 "opset 10; x: f32[2,1,4]; a = Neg(x); h = Squeeze(a) {axes=[1]}; y = Clip(h) {max=0.25}"));
}

TEST_CASE("activation_before_movement refuses what comes in") {
  CHECK(given("x: f32[2,3]; y = Relu(Transpose(x))").rule(activation_before_movement).refuses("has other readers"));
  CHECK(given("x: f32[2,3]; y = Relu(Slice(Neg(x), i64[1] 0, i64[1] 1))").rule(activation_before_movement).refuses(""));
}
