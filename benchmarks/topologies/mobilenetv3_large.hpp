#pragma once
#include <cstdint>

#include "topologies/network.hpp"

/// MobileNetV3-Large (Howard et al., 2019): HardSwish, and squeeze-and-excitation with HardSigmoid. The classifier's
/// first layer is a Conv. 63 Conv.
inline graft::Model mobilenetv3_large(std::int64_t size) {
  Network net("mobilenetv3_large", size);
  const auto hard_swish = [&net](Maps x) { return net.op("HardSwish", x); };
  const auto excite = [&net](Maps x) {
    const Maps squeezed = net.relu(net.conv(net.op("GlobalAveragePool", x), (x.channels / 4 + 7) / 8 * 8, 1));
    return net.multiply(x, net.op("HardSigmoid", net.conv(squeezed, x.channels, 1), {{"alpha", 1.f / 6}}));
  };
  Maps x = hard_swish(net.conv(net.image(), 16, 3, 2));
  struct Block {
    std::int64_t kernel, hidden, channels, stride;
    bool excites, hard;
  };
  for (const Block& block : {Block{3, 16, 16, 1, false, false},
                             {3, 64, 24, 2, false, false},
                             {3, 72, 24, 1, false, false},
                             {5, 72, 40, 2, true, false},
                             {5, 120, 40, 1, true, false},
                             {5, 120, 40, 1, true, false},
                             {3, 240, 80, 2, false, true},
                             {3, 200, 80, 1, false, true},
                             {3, 184, 80, 1, false, true},
                             {3, 184, 80, 1, false, true},
                             {3, 480, 112, 1, true, true},
                             {3, 672, 112, 1, true, true},
                             {5, 672, 160, 2, true, true},
                             {5, 960, 160, 1, true, true},
                             {5, 960, 160, 1, true, true}}) {
    const auto activation = [&](Maps y) { return block.hard ? hard_swish(y) : net.relu(y); };
    Maps y = block.hidden == x.channels ? x : activation(net.conv(x, block.hidden, 1));
    y = activation(net.depthwise(y, block.kernel, block.stride));
    if (block.excites) y = excite(y);
    y = net.conv(y, block.channels, 1);
    x = block.stride == 1 && x.channels == block.channels ? net.add(x, y) : y;
  }
  x = net.op("GlobalAveragePool", hard_swish(net.conv(x, 960, 1)));
  net.classify(hard_swish(net.conv(x, 1280, 1)));
  return net.build();
}
