#pragma once
#include <array>
#include <string>
#include <vector>

#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>

#include "quantize/nets.hpp"

// Three Convs in a row, y, a and z, that hand on what they get, quantized without any error: but z, whose range ends at
// 255/512.

inline graft::Model identities() {
  Net net;
  graft::Value* value = net.x;
  for (const char* const name : {"y", "a", "z"}) {
    graft::Value& weight = net.constant(std::string(name) + "_w", {1, 0, 0, 1}, {2, 2, 1, 1});
    value = &net.op("Conv", {value, &weight}, name);
  }
  return net.build({value});
}

inline constexpr graft::Range in_64ths{-2, 2 - 1 / 64.f};
inline const graft::Ranges ruined_ranges{{"x", in_64ths}, {"y", in_64ths}, {"a", in_64ths}, {"z", {0, 255 / 512.f}}};

inline graft::Pass ruining() {
  using namespace graft;
  const Target& target = targets::ort_cpu_x64;
  return inject_qdq(ruined_ranges, target) | quantize_weights(Granularity::per_tensor, target);
}

/// The same for a target of which two of the three do not repay their conversions, and neither does one.
inline graft::Pass ruining_what_pays() {
  using namespace graft;
  static constexpr std::array kernels{IntegerKernel{.op = "Conv", .dtypes = targets::ort_cpu_x64.kernels[0].dtypes,
                                                    .in_float = {.product = 1 / 8.f},
                                                    .in_integers = {.product = 0.1f / 8}}};
  static constexpr Target target = [] {
    Target result = targets::ort_cpu_x64;
    result.kernels = kernels;
    result.quantize = result.dequantize = {70};
    return result;
  }();
  return inject_qdq(ruined_ranges, target, Placement::min_cost) |
         quantize_weights(Granularity::per_tensor, target);
}

/// Its first channel holds one value, its second another.
inline graft::Feeds two_values(float first, float second) {
  std::vector<float> values(32, first);
  for (std::size_t i = 16; i < 32; ++i) values[i] = second;
  return {{"x", graft::Tensor::of<float>({1, 2, 4, 4}, values)}};
}
/// Of which z makes 255/512 and 255/512.
inline const std::vector<graft::Feeds> ruined_sample{two_values(0.75f, 1)};
