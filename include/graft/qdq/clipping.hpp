#pragma once
#include <cstdint>
#include <span>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The magnitude of the greatest code of symmetric q-params.
enum class Clipping : std::uint8_t {
  none,           ///< the greatest magnitude
  squared_error,  ///< a smaller one, with the least squared error of rounding and clipping together
};

/// The sum of (x - x')^2, where x' is x quantized symmetrically to `bits` bits. The greatest code means `magnitude`,
/// which is above 0; greater values are clipped. Sums in float64.
double squared_error(std::span<const float> values, float magnitude, int bits);

/// The magnitude with the least squared_error() among 1, 0.99 ... 0.1 of the greatest one; 0 for no values, and for
/// zeros. (Choukroun et al., Low-bit Quantization of Neural Networks for Efficient Inference, 2019, section 3.)
float least_error_magnitude(std::span<const float> values, int bits);

}  // namespace graft::inline v1
