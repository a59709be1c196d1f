#pragma once
#include <graft/quantize/tune/detail/noise_share.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>

namespace graft::inline v1::detail {

/// The share of one output.
inline double noise_share(const Tensor& floats, const Tensor& quantized) {
  if (floats.dtype() != quantized.dtype() || floats.dims() != quantized.dims()) return 1;
  if (floats.size() == 0) return 0;
  if (!is_float(floats.dtype())) {
    const std::vector<std::int64_t> x = floats.to<std::int64_t>(), q = quantized.to<std::int64_t>();
    std::size_t different = 0;
    for (std::size_t i = 0; i < x.size(); ++i) different += x[i] != q[i];
    return static_cast<double>(different) / static_cast<double>(x.size());
  }
  SignalToNoise power;
  power.add(floats.to<float>(), quantized.to<float>());
  if (power.noise == 0) return 0;
  return power.noise < power.signal ? power.noise / power.signal : 1;  // NaN is not less
}

GRAFT_INLINE double noise_share(std::span<const Tensor> floats, std::span<const Tensor> quantized) {
  if (floats.size() != quantized.size()) throw Error("the graphs have different outputs");
  double sum = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) sum += noise_share(floats[i], quantized[i]);
  return floats.empty() ? 0 : sum / static_cast<double>(floats.size());
}

}  // namespace graft::inline v1::detail
