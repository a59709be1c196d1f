#pragma once
#include <cstdint>

#include "topologies/network.hpp"

/// ResNet50v2 (He et al., Identity Mappings in Deep Residual Networks, 2016) as in ONNX's model zoo: 53 Conv without
/// bias and 50 BatchNormalization, 33 of them behind a Conv, and 17 behind a residual Add or the first pool. The first
/// Conv has `width` channels, by default as many as the original.
inline graft::Model resnet50v2(std::int64_t size, std::int64_t width = 64) {
  Network net("resnet50v2", size);
  const auto normalized = [&net](Maps x) { return net.relu(net.batch_normalization(x)); };
  Maps x = net.max_pool(normalized(net.conv_without_bias(net.image(), width, 7, 2)), 3, 2);
  std::int64_t channels = width;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      const std::int64_t stride = block == 0 && channels != width ? 2 : 1;
      const Maps ready = normalized(x);
      Maps y = normalized(net.conv_without_bias(ready, channels, 1));
      y = normalized(net.conv_without_bias(y, channels, 3, stride));
      y = net.conv_without_bias(y, 4 * channels, 1);
      x = net.add(y, block == 0 ? net.conv_without_bias(ready, 4 * channels, 1, stride) : x);
    }
    channels *= 2;
  }
  net.classify(normalized(x));
  return net.build();
}
