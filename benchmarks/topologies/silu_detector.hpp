#pragma once
#include <cstdint>
#include <vector>

#include "topologies/network.hpp"

/// A detector similar to the small YOLOv5, with scores instead of boxes. It has x * Sigmoid(x) behind each Conv, stages
/// that are split and concatenated, pools of one map in three sizes, and two enlarged maps that are concatenated with
/// finer ones.
inline graft::Model silu_detector(std::int64_t size) {
  Network net("silu_detector", size);
  const auto conv = [&net](Maps x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
    return net.silu(net.conv(x, out, kernel, stride));
  };
  const auto stage = [&](Maps x, std::int64_t out, int blocks, bool residual) {
    Maps y = conv(x, out / 2, 1);
    for (int block = 0; block < blocks; ++block) {
      const Maps z = conv(conv(y, out / 2, 1), out / 2, 3);
      y = residual ? net.add(y, z) : z;
    }
    return conv(net.concat(y, conv(x, out / 2, 1)), out, 1);
  };

  Maps x = conv(net.image(), 32, 5, 2);
  std::vector<Maps> fine;
  for (const int blocks : {1, 2, 3, 1}) {
    x = stage(conv(x, 2 * x.channels, 3, 2), 2 * x.channels, blocks, true);
    fine.push_back(x);
  }
  const Maps squeezed = conv(x, 256, 1);
  Maps pooled = squeezed, joined = squeezed;
  for (int i = 0; i < 3; ++i) joined = net.concat(joined, pooled = net.max_pool(pooled, 5, 1));
  x = conv(joined, 512, 1);

  const Maps coarse = conv(x, 256, 1);
  const Maps middle = conv(stage(net.concat(net.twice_as_large(coarse), fine[2]), 256, 1, false), 128, 1);
  const Maps finest = stage(net.concat(net.twice_as_large(middle), fine[1]), 128, 1, false);
  x = stage(net.concat(conv(finest, 128, 3, 2), middle), 256, 1, false);
  x = stage(net.concat(conv(x, 256, 3, 2), coarse), 512, 1, false);
  net.classify(x, 255);
  return net.build();
}
