#pragma once
#include <cstdint>

#include "topologies/network.hpp"

/// EfficientNet-Lite4 as in TensorFlow's repository: 91 Conv, Clip(0, 6), no squeeze-and-excitation.
inline graft::Model efficientnet_lite4(std::int64_t size) {
  Network net("efficientnet_lite4", size);
  Maps x = net.relu6(net.conv(net.image(), 32, 3, 2));
  struct Stage {
    std::int64_t kernel, expansion, channels, stride;
    int blocks;
  };
  for (const Stage& stage : {Stage{3, 1, 24, 1, 1},
                             {3, 6, 32, 2, 4},
                             {5, 6, 56, 2, 4},
                             {3, 6, 112, 2, 6},
                             {5, 6, 160, 1, 6},
                             {5, 6, 272, 2, 8},
                             {3, 6, 448, 1, 1}}) {
    for (int block = 0; block < stage.blocks; ++block) {
      Maps y = stage.expansion == 1 ? x : net.relu6(net.conv(x, stage.expansion * x.channels, 1));
      y = net.relu6(net.depthwise(y, stage.kernel, block == 0 ? stage.stride : 1));
      y = net.conv(y, stage.channels, 1);
      x = block == 0 ? y : net.add(y, x);
    }
  }
  net.classify(net.relu6(net.conv(x, 1280, 1)));
  return net.build();
}
