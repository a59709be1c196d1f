#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include <graft/graph/tensor.hpp>

/// f32[1, 3, size, size] with a mean of about 0 and a variance of about 1: a coloured ground with waves of random
/// colour, direction and length, a rectangle, and a little noise. The image is the same for the same seed.
inline graft::Tensor structured_noise(std::int64_t size, unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&random](float low, float high) {
    return low + (high - low) * static_cast<float>(random() >> 8) / static_cast<float>(1 << 24);
  };
  graft::Tensor image(graft::DType::f32, {1, 3, size, size});
  const std::array<float, 3> ground{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  struct Wave {
    float x, y, phase;
    std::array<float, 3> colour;
  };
  std::array<Wave, 8> waves;
  for (Wave& wave : waves) {
    const float turns = std::exp(uniform(0, 4)), angle = uniform(0, 6.2832f);
    wave = {6.2832f * turns * std::cos(angle), 6.2832f * turns * std::sin(angle), uniform(0, 6.2832f), {}};
    for (float& strength : wave.colour) strength = uniform(-0.6f, 0.6f);
  }
  const float left = uniform(0, 0.8f), top = uniform(0, 0.8f), side = uniform(0.1f, 0.5f), lift = uniform(-2, 2);
  float* to = image.mutable_data<float>().data();
  const float step = 1 / static_cast<float>(size);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::int64_t row = 0; row < size; ++row) {
      const float y = static_cast<float>(row) * step;
      for (std::int64_t column = 0; column < size; ++column) {
        const float x = static_cast<float>(column) * step;
        float pixel = ground[channel] + uniform(-0.3f, 0.3f);
        for (const Wave& wave : waves) pixel += wave.colour[channel] * std::sin(wave.x * x + wave.y * y + wave.phase);
        if (x >= left && x < left + side && y >= top && y < top + side) pixel += lift;
        *to++ = pixel;
      }
    }
  }
  return image;
}
