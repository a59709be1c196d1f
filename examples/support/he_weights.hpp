#pragma once
#include <cmath>
#include <cstdint>

#include <graft/graph/tensor.hpp>

/// Deterministic weights for models without training.
class HeWeights {
 public:
  /// Uniform in [-1, 1), from a fixed sequence of numbers (SplitMix64).
  float next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<float>((z ^ (z >> 31)) >> 40) / static_cast<float>(1 << 23) - 1;
  }

  /// f32 with the variance that keeps the magnitude of values through a Relu. He et al., Delving Deep into Rectifiers
  /// (2015).
  graft::Tensor tensor(const graft::Dims& dims, std::int64_t fan_in) {
    graft::Tensor tensor(graft::DType::f32, dims);
    const float bound = std::sqrt(6.f / static_cast<float>(fan_in));
    for (float& number : tensor.mutable_data<float>()) number = bound * next();
    return tensor;
  }

 private:
  std::uint64_t state_ = 1;
};
