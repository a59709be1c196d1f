#pragma once
#include <cstdint>
#include <string_view>

namespace graft::inline v1::detail {

/// FNV-1a, 64 bits.
std::uint64_t checksum(std::string_view bytes);

/// One that can be summed up: FNV's own of like names differ by like amounts, which cancel (SplitMix64's finalizer).
std::uint64_t summable_checksum(std::uint64_t index, std::string_view name);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/detail/checksum.ipp>
#endif
