#pragma once
#include <cstdint>
#include <optional>

namespace graft::inline v1::qonnx::detail {

/// How a Quant says between which integers it keeps its own.
struct IntegerFormat {
  float bits = 8;
  bool is_signed = true, is_narrow = false;
};

/// The bit width, signedness and narrowness whose integers, rounded to the nearest, are these, ends included: a whole
/// number of bits if there is one, else, if allowed, a fraction. nullopt if there is none.
std::optional<IntegerFormat> bit_width_of(std::int64_t lowest, std::int64_t highest, bool allow_fractions);

/// The least whole number of bits that holds these integers; narrow where a signed range does without its lowest value.
IntegerFormat least_bit_width(std::int64_t lowest, std::int64_t highest);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/integer_format.ipp>
#endif
