#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <graft/graph/build.hpp>

#include "support/he_weights.hpp"

/// MobileNetV2 (Sandler et al., 2018) with the original topology: 52 Conv, 35 Clip and 10 Add. Its weights are
/// deterministic and keep activations in a moderate range. Input: f32[batch, 3, size, size], output: f32[batch, 1000].
class MobileNetV2 {
 public:
  explicit MobileNetV2(std::int64_t size = 224) : b_(13, "mobilenetv2") {
    using namespace graft;
    Value* x = &b_.input("image", DType::f32, {"batch", 3, size, size});
    zero_ = &b_.constant(Tensor::scalar(0.f), "zero");
    six_ = &b_.constant(Tensor::scalar(6.f), "six");
    x = &clip(conv(*x, 3, 32, 3, 2));
    std::int64_t channels = 32;
    struct Stage {
      std::int64_t expansion, channels;
      int blocks;
      std::int64_t stride;
    };
    for (const Stage& stage : {Stage{1, 16, 1, 1},
                               {6, 24, 2, 2},
                               {6, 32, 3, 2},
                               {6, 64, 4, 2},
                               {6, 96, 3, 1},
                               {6, 160, 3, 2},
                               {6, 320, 1, 1}}) {
      for (int block = 0; block < stage.blocks; ++block) {
        x = &inverted_residual(*x, channels, stage.channels, stage.expansion, block == 0 ? stage.stride : 1);
        channels = stage.channels;
      }
    }
    x = &clip(conv(*x, channels, 1280, 1, 1));
    x = &b_.op("Flatten", {&b_.op("GlobalAveragePool", {x})});
    Value& w = weight("classifier.weight", {1000, 1280}, 1280);
    Value& bias = b_.constant(Tensor(DType::f32, {1000}), "classifier.bias");
    b_.output(b_.op("Gemm", {x, &w, &bias}, {{"transB", 1}}), "logits");
  }

  graft::Model build() { return b_.build(); }

 private:
  graft::Value& inverted_residual(graft::Value& x, std::int64_t in, std::int64_t out, std::int64_t expansion,
                                  std::int64_t stride) {
    const std::int64_t hidden = in * expansion;
    graft::Value& expanded = expansion == 1 ? x : clip(conv(x, in, hidden, 1, 1));
    graft::Value& filtered = clip(conv(expanded, hidden, hidden, 3, stride, hidden));
    graft::Value& projected = conv(filtered, hidden, out, 1, 1);
    return stride == 1 && in == out ? b_.op("Add", {&x, &projected}) : projected;
  }

  graft::Value& conv(graft::Value& x, std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                     std::int64_t group = 1) {
    using graft::Ints;
    const std::string name = "conv" + std::to_string(convs_++);
    const std::int64_t pad = kernel / 2;
    graft::Value& w = weight(name + ".weight", {out, in / group, kernel, kernel}, in / group * kernel * kernel);
    graft::Value& bias = b_.constant(graft::Tensor(graft::DType::f32, {out}), name + ".bias");
    return b_.op("Conv", {&x, &w, &bias}, {{"kernel_shape", Ints{kernel, kernel}}, {"strides", Ints{stride, stride}},
                                           {"pads", Ints{pad, pad, pad, pad}}, {"group", group}});
  }
  graft::Value& clip(graft::Value& x) { return b_.op("Clip", {&x, zero_, six_}); }

  graft::Value& weight(const std::string& name, const graft::Dims& dims, std::int64_t fan_in) {
    return b_.constant(weights_.tensor(dims, fan_in), name);
  }

  graft::Builder b_;
  graft::Value* zero_ = nullptr;
  graft::Value* six_ = nullptr;
  int convs_ = 0;
  HeWeights weights_;
};
