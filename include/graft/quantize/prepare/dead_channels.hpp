#pragma once
#include <cstdint>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The conditions under which a channel counts as constant.
struct DeadChannels {
  /// Its values differ by at most this many roundings of its sum. A rounding is 2^-24 of the magnitudes that the sum
  /// adds: the bias, and each weight times the greatest input. Must be above 0, because sums of equal values may round
  /// differently. Other channels do not matter: a reader may need a value that a common scale would lose.
  double roundings = 32;
  /// At least this many values of it were seen. Among few values, such as those behind a global pooling, a live channel
  /// may show one value only.
  std::uint64_t values = 1000;
};

/// The pass that zeroes constant channels of Conv and Gemm: if a channel was constant on the samples, its weights
/// become 0 and its bias the constant. The channel may also be constant behind the activation that is its only reader.
/// The pass also sets to 0 the weights by which readers multiply a channel that was always 0.
///
/// Such weights may be huge, for example where a BatchNormalization with a variance near 0 was folded. Huge weights
/// waste the scale, and amplify the rounding error of their input. On the samples the outputs change by at most
/// `roundings`; ranges and statistics of the samples stay valid. Weights and biases that are not constant float32 are
/// skipped.
Pass zero_dead_channels(const DeadChannels& when = {});

}  // namespace graft::inline v1
