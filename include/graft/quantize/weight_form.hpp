#pragma once
#include <cstdint>

#include <graft/quantize/clipping.hpp>

namespace graft::inline v1 {

enum class Granularity : std::uint8_t { per_tensor, per_channel };

/// How weights are stored: with one scale or one for each output channel; in how many bits of their 8, for on x86-64
/// without VNNI sums of two products of 8 bit numbers saturate, which 7 bit weights prevent; and what becomes of
/// outliers. A Granularity alone is one.
struct WeightForm {
  constexpr WeightForm(Granularity scales, int width = 8, Clipping outliers = Clipping::none)
      : granularity(scales), bits(width), clipping(outliers) {}

  Granularity granularity;
  int bits;
  Clipping clipping;
};

}  // namespace graft::inline v1
