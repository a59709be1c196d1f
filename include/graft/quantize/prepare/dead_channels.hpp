#pragma once
#include <cstdint>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// When a channel is taken for a constant.
struct DeadChannels {
  /// Its values lie no further apart than so many roundings of its sum, 2^-24 of the magnitudes that it adds: the bias,
  /// and each weight times the greatest input. Above 0, for sums of the same values may round differently. Whatever the
  /// values of other channels are: a reader may need what a common scale would lose.
  double roundings = 32;
  /// So many values were seen of it. Of few, as those behind a global pooling, a live channel may show one value.
  std::uint64_t values = 1000;
};

/// The pass that makes 0 the weights of every channel of a Conv or Gemm that was constant on the samples, or is so
/// behind the activation that alone reads it, with the constant as its bias; and the weights with which others read a
/// channel that was always 0. Such weights may be huge, as where BatchNormalization of a variance near 0 was folded
/// into them: then they waste the scale, and make noise of what rounding adds to their input. On the samples the model
/// gives what it gave, except for `roundings`; ranges and statistics of the samples stay true. Weights and biases that
/// are not constant float32 stay.
Pass zero_dead_channels(const DeadChannels& when = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/dead_channels.ipp>
#endif
