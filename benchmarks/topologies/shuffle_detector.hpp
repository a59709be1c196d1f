#pragma once
#include <cstdint>
#include <utility>

#include "topologies/network.hpp"

/// A detector similar to FastestDet. Its ShuffleNetV2 (Ma et al., 2018) has units that shuffle concatenated channels
/// and pass one half on. Then come three maps of one size, pools of depthwise convolutions, and a head of scores, boxes
/// and classes. 70 Conv, 13 shuffles. Channels are shuffled as exporters write x.reshape(n * c / 2, 2, h *
/// w).permute(1, 0, 2).
inline graft::Model shuffle_detector(std::int64_t size) {
  Network net("shuffle_detector", size);
  const auto conv = [&net](Maps x, std::int64_t out) { return net.relu(net.conv(x, out, 1)); };
  const auto pool = [&net](Maps x) { return net.relu(net.depthwise(x, 5, 1)); };
  const auto branch = [&](Maps x, std::int64_t out, std::int64_t stride) {
    return conv(net.depthwise(conv(x, out), 3, stride), out);
  };
  Maps x = net.max_pool(net.relu(net.conv(net.image(), 24, 3, 2)), 3, 2);
  std::int64_t side = size / 4;
  const auto stage = [&](std::int64_t channels, int units) {
    x = net.concat(conv(net.depthwise(x, 3, 2), channels / 2), branch(x, channels / 2, 2));
    side /= 2;
    for (int unit = 1; unit < units; ++unit) {
      const auto [passed, taken] = net.shuffled(x, side);
      x = net.concat(passed, branch(taken, channels / 2, 1));
    }
    return x;
  };
  const Maps fine = stage(48, 4), middle = stage(96, 8), coarse = stage(192, 4);

  x = net.concat(net.concat(net.average_pool(fine, 3, 2), middle), net.twice_as_large(coarse));
  x = conv(x, 96);
  Maps pooled = pool(x);
  for (int more = 1; more < 3; ++more) {
    Maps y = pool(x);
    for (int i = 0; i < more; ++i) y = pool(y);
    pooled = net.concat(pooled, y);
  }
  x = conv(net.relu(net.add(x, net.conv(pooled, 96, 1))), 96);
  const auto head = [&](std::int64_t out) { return net.conv(pool(x), out, 1); };
  const Maps score = net.op("Sigmoid", head(1)), box = head(4);
  const Maps classes = net.op("Softmax", head(80), {{"axis", 1}});
  net.output(net.concat(net.concat(score, box), classes), "boxes");
  return net.build();
}
