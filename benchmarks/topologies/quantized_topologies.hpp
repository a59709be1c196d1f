#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "topologies/quantized_network.hpp"

// The networks of Table III of the QONNX paper (Pappalardo et al., QONNX: Representing Arbitrary-Precision Quantized
// Neural Networks, 2022).

/// Three layers of 64 neurons and ten classes (Umuroglu et al., FINN, 2017), on digits of 28 * 28.
inline graft::Model tfc(int weight_bits, int activation_bits) {
  QuantizedNetwork net("tfc", 1, 28);
  net.flatten().quantize(activation_bits);
  std::int64_t in = 28 * 28;
  for (int layer = 0; layer < 3; ++layer) {
    net.dense(in, 64, weight_bits, 1).batch_normalization().quantize(activation_bits);
    in = 64;
  }
  return net.dense(in, 10, weight_bits, 1).build();
}

/// Six convolutions without padding and three dense layers (Umuroglu et al., FINN, 2017), on images of 32 * 32, which
/// have 8 bits.
inline graft::Model cnv(int weight_bits, int activation_bits) {
  QuantizedNetwork net("cnv", 3, 32);
  net.quantize(8, 1.0F / 128);
  for (const std::int64_t channels : {64, 128, 256}) {
    for (int layer = 0; layer < 2; ++layer)
      net.conv(channels, 3, weight_bits, 0.5F).batch_normalization().quantize(activation_bits);
    if (channels != 256) net.max_pool();
  }
  net.flatten();
  std::int64_t in = 256;
  for (int layer = 0; layer < 2; ++layer) {
    net.dense(in, 512, weight_bits, 0.5F).batch_normalization().quantize(activation_bits);
    in = 512;
  }
  return net.dense(in, 10, weight_bits, 0.5F).build();
}

/// MobileNetV1 (Howard et al., 2017) with 4 bits, except for the first convolution, which has weights of 8 bits, an
/// unquantized input and no padding.
inline graft::Model mobilenet_w4a4() {
  QuantizedNetwork net("mobilenet_w4a4", 3, 224);
  const auto activate = [&net] { net.batch_normalization().relu().quantize(4, 0.1F, false); };
  net.conv(32, 3, 8, 1.0F / 128, 2);
  activate();
  const std::pair<std::int64_t, std::int64_t> blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},
                                                          {512, 2}, {512, 1}, {512, 1}, {512, 1}, {512, 1},
                                                          {512, 1}, {1024, 2}, {1024, 1}};
  for (const auto& [channels, stride] : blocks) {
    net.depthwise(3, 4, 0.125F, stride);
    activate();
    net.conv(channels, 1, 4, 0.125F);
    activate();
  }
  return net.average_pool(7, 4, 0.1F).flatten().dense(1024, 1000, 4, 0.125F).build();
}

struct QuantizedTopology {
  std::string name;
  int weight_bits, activation_bits;
  std::function<graft::Model()> build;
};

inline std::vector<QuantizedTopology> quantized_topologies() {
  return {{"tfc_w1a1", 1, 1, [] { return tfc(1, 1); }},       {"tfc_w1a2", 1, 2, [] { return tfc(1, 2); }},
          {"tfc_w2a2", 2, 2, [] { return tfc(2, 2); }},       {"cnv_w1a1", 1, 1, [] { return cnv(1, 1); }},
          {"cnv_w1a2", 1, 2, [] { return cnv(1, 2); }},       {"cnv_w2a2", 2, 2, [] { return cnv(2, 2); }},
          {"mobilenet_w4a4", 4, 4, [] { return mobilenet_w4a4(); }}};
}
