#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/build.hpp>

#include "support/he_weights.hpp"

/// The parts of a network of few bits in QONNX, with random weights. Input: f32[1, channels, size, size]. One bit is a
/// BipolarQuant of scale 1, more bits are a Quant.
class QuantizedNetwork {
 public:
  QuantizedNetwork(std::string_view name, std::int64_t channels, std::int64_t size)
      : b_(13, name), value_(&b_.input("image", graft::DType::f32, {1, channels, size, size})), channels_(channels) {
    b_.import("qonnx.custom_op.general", 1);
  }

  QuantizedNetwork& quantize(int bits, float scale = 1, bool is_signed = true) {
    value_ = &quantized(*value_, bits, scale, is_signed);
    return *this;
  }
  /// The scale of weights of more than one bit.
  QuantizedNetwork& conv(std::int64_t out, std::int64_t kernel, int bits, float scale, std::int64_t stride = 1,
                         std::int64_t pad = 0, std::int64_t group = 1) {
    graft::Value& weight = weights({out, channels_ / group, kernel, kernel}, bits, scale);
    value_ = &b_.op("Conv", {value_, &weight},
                    {{"kernel_shape", {kernel, kernel}},
                     {"strides", {stride, stride}},
                     {"pads", {pad, pad, pad, pad}},
                     {"group", group}});
    channels_ = out;
    return *this;
  }
  QuantizedNetwork& depthwise(std::int64_t kernel, int bits, float scale, std::int64_t stride) {
    return conv(channels_, kernel, bits, scale, stride, kernel / 2, channels_);
  }
  /// A dense layer over `in` features, [out, in] transposed as exporters write it.
  QuantizedNetwork& dense(std::int64_t in, std::int64_t out, int bits, float scale) {
    graft::Value& transposed = b_.op("Transpose", {&weights({out, in}, bits, scale)}, {{"perm", {1, 0}}});
    value_ = &b_.op("MatMul", {value_, &transposed});
    channels_ = out;
    return *this;
  }
  QuantizedNetwork& batch_normalization() {
    graft::Tensor scale(graft::DType::f32, {channels_}), one(graft::DType::f32, {channels_});
    for (float& number : scale.mutable_data<float>()) number = 1 + numbers_.next() / 2;
    for (float& number : one.mutable_data<float>()) number = 1;
    const graft::Tensor zero(graft::DType::f32, {channels_});
    value_ = &b_.op("BatchNormalization", {value_, &constant("scale", scale), &constant("bias", zero),
                                           &constant("mean", zero), &constant("variance", one)});
    return *this;
  }
  QuantizedNetwork& relu() {
    value_ = &b_.op("Relu", {value_});
    return *this;
  }
  QuantizedNetwork& max_pool() { return pool("MaxPool", 2); }
  /// The mean of a window, truncated to this many bits of the scale.
  QuantizedNetwork& average_pool(std::int64_t kernel, int bits, float scale) {
    pool("AveragePool", kernel);
    graft::Value& area = number("area", static_cast<float>(kernel * kernel));
    value_ = &b_.op("Mul", {value_, &area});
    value_ = &b_.op("qonnx.custom_op.general::Trunc",
                    {value_, &number("scale", scale), &number("zero_point", 0),
                     &number("in_bits", static_cast<float>(bits + 6)), &number("out_bits", static_cast<float>(bits))},
                    {{"rounding_mode", "FLOOR"}});
    return *this;
  }
  QuantizedNetwork& flatten() {
    value_ = &b_.op("Flatten", {value_});
    return *this;
  }

  graft::Model build() {
    b_.output(*value_, "scores");
    return b_.build();
  }

 private:
  QuantizedNetwork& pool(std::string_view op, std::int64_t kernel) {
    value_ = &b_.op(op, {value_}, {{"kernel_shape", {kernel, kernel}}, {"strides", {kernel, kernel}}});
    return *this;
  }

  /// Numbers spread over the range of this many bits, so that some become 0.
  graft::Value& weights(const graft::Dims& dims, int bits, float scale) {
    graft::Tensor tensor(graft::DType::f32, dims);
    const float bound = scale * static_cast<float>(1 << (bits - 1));
    for (float& number : tensor.mutable_data<float>()) number = bound * numbers_.next();
    return quantized(constant("weight", std::move(tensor)), bits, scale, true);
  }

  graft::Value& quantized(graft::Value& x, int bits, float scale, bool is_signed) {
    if (bits == 1) return b_.op("qonnx.custom_op.general::BipolarQuant", {&x, &number("scale", 1)});
    return b_.op("qonnx.custom_op.general::Quant",
                 {&x, &number("scale", scale), &number("zero_point", 0), &number("bits", static_cast<float>(bits))},
                 {{"signed", is_signed ? 1 : 0}, {"narrow", is_signed ? 1 : 0}, {"rounding_mode", "ROUND"}});
  }

  graft::Value& number(std::string_view what, float value) { return constant(what, graft::Tensor::scalar(value)); }

  graft::Value& constant(std::string_view what, graft::Tensor tensor) {
    return b_.constant(std::move(tensor), "constants." + std::to_string(constants_++) + "." + std::string(what));
  }

  graft::Builder b_;
  graft::Value* value_;
  std::int64_t channels_;
  std::size_t constants_ = 0;
  HeWeights numbers_;
};
