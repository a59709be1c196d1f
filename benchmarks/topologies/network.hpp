#pragma once
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/build.hpp>

#include "support/he_weights.hpp"

/// Feature maps, f32[batch, channels, height, width].
struct Maps {
  graft::Value* value;
  std::int64_t channels;
};

/// The parts of convolutional networks as exporters write them, with random weights. Input: f32[batch, 3, size, size].
class Network {
 public:
  Network(std::string_view name, std::int64_t size)
      : b_(17, name), image_{&b_.input("image", graft::DType::f32, {"batch", 3, size, size}), 3} {}

  Maps image() const { return image_; }

  Maps conv(Maps x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1, std::int64_t group = 1) {
    return convolution(x, out, kernel, stride, group, &constant("bias", graft::Tensor(graft::DType::f32, {out})));
  }
  /// A Conv that a BatchNormalization follows.
  Maps conv_without_bias(Maps x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
    return convolution(x, out, kernel, stride, 1, nullptr);
  }
  Maps depthwise(Maps x, std::int64_t kernel, std::int64_t stride) {
    return conv(x, x.channels, kernel, stride, x.channels);
  }
  /// Scales are in [0.5, 1.5), biases are 1; a Standardizer sets the statistics.
  Maps batch_normalization(Maps x) {
    graft::Tensor scale(graft::DType::f32, {x.channels}), one(graft::DType::f32, {x.channels});
    for (float& number : scale.mutable_data<float>()) number = 1 + weights_.next() / 2;
    for (float& number : one.mutable_data<float>()) number = 1;
    const graft::Tensor zero(graft::DType::f32, {x.channels});
    return {&b_.op("BatchNormalization", {x.value, &constant("scale", scale), &constant("bias", one),
                                          &constant("mean", zero), &constant("variance", one)}),
            x.channels};
  }

  Maps op(std::string_view name, Maps x, const graft::Attributes& attributes = {}) {
    return {&b_.op(name, {x.value}, attributes), x.channels};
  }
  Maps relu(Maps x) { return op("Relu", x); }
  Maps relu6(Maps x) {
    if (six_ == nullptr) {
      zero_ = &b_.constant(graft::Tensor::scalar(0.f), "zero");
      six_ = &b_.constant(graft::Tensor::scalar(6.f), "six");
    }
    return {&b_.op("Clip", {x.value, zero_, six_}), x.channels};
  }
  Maps silu(Maps x) { return multiply(x, op("Sigmoid", x)); }
  Maps add(Maps x, Maps y) { return {&b_.op("Add", {x.value, y.value}), x.channels}; }
  Maps multiply(Maps x, Maps y) { return {&b_.op("Mul", {x.value, y.value}), x.channels}; }
  Maps concat(Maps x, Maps y) {
    return {&b_.op("Concat", {x.value, y.value}, {{"axis", 1}}), x.channels + y.channels};
  }
  Maps max_pool(Maps x, std::int64_t kernel, std::int64_t stride) {
    return op("MaxPool", x, window(kernel, stride));
  }
  Maps average_pool(Maps x, std::int64_t kernel, std::int64_t stride) {
    graft::Attributes attributes = window(kernel, stride);
    attributes.emplace_back("count_include_pad", 1);
    return op("AveragePool", x, attributes);
  }
  /// Splits the channels into those of even and of odd index, for maps of this size.
  std::pair<Maps, Maps> shuffled(Maps x, std::int64_t side) {
    const std::int64_t half = x.channels / 2;
    graft::Value& pairs = b_.op("Reshape", {x.value, &shape({-1, 2, side * side})});
    graft::Value& apart = b_.op("Transpose", {&pairs}, {{"perm", {1, 0, 2}}});
    graft::Value& halves = b_.op("Reshape", {&apart, &shape({2, -1, half, side, side})});
    const auto gathered = [&](std::int64_t i) {
      graft::Value& index = constant("index", graft::Tensor::scalar<std::int64_t>(i));
      return Maps{&b_.op("Gather", {&halves, &index}, {{"axis", 0}}), half};
    };
    const Maps even = gathered(0);
    return {even, gathered(1)};
  }
  Maps twice_as_large(Maps x) {
    graft::Value& scales = constant("scales", graft::Tensor::of<float>({4}, {1, 1, 2, 2}));
    return {&b_.op("Resize", {x.value, nullptr, &scales}, {{"mode", "nearest"},
                                                           {"coordinate_transformation_mode", "asymmetric"},
                                                           {"nearest_mode", "floor"}}),
            x.channels};
  }

  /// The scores of the classes, f32[1, classes], as the model's next output.
  void classify(Maps x, std::int64_t classes = 1000) {
    graft::Value& pooled = b_.op("Flatten", {op("GlobalAveragePool", x).value});
    graft::Value& weight = constant("weight", weights_.tensor({classes, x.channels}, x.channels));
    graft::Value& bias = constant("bias", graft::Tensor(graft::DType::f32, {classes}));
    b_.output(b_.op("Gemm", {&pooled, &weight, &bias}, {{"transB", 1}}), "logits");
  }

  /// Adds the maps as the model's next output.
  void output(Maps x, std::string_view name) { b_.output(*x.value, name); }

  graft::Model build() { return b_.build(); }

 private:
  Maps convolution(Maps x, std::int64_t out, std::int64_t kernel, std::int64_t stride, std::int64_t group,
                   graft::Value* bias) {
    const std::int64_t in = x.channels / group;
    graft::Value& weight = constant("weight", weights_.tensor({out, in, kernel, kernel}, in * kernel * kernel));
    graft::Attributes attributes = window(kernel, stride);
    attributes.emplace_back("group", group);
    return {&b_.op("Conv", {x.value, &weight, bias}, attributes), out};
  }

  static graft::Attributes window(std::int64_t kernel, std::int64_t stride) {
    const std::int64_t pad = kernel / 2;
    return {{"kernel_shape", {kernel, kernel}}, {"strides", {stride, stride}}, {"pads", {pad, pad, pad, pad}}};
  }

  graft::Value& shape(std::initializer_list<std::int64_t> extents) {
    return constant("shape", graft::Tensor::of<std::int64_t>({std::ssize(extents)}, extents));
  }

  graft::Value& constant(std::string_view what, graft::Tensor tensor) {
    return b_.constant(std::move(tensor),
                       "layers." + std::to_string(b_.graph().nodes().size()) + "." + std::string(what));
  }

  graft::Builder b_;
  Maps image_;
  HeWeights weights_;
  graft::Value *zero_ = nullptr, *six_ = nullptr;
};
