#pragma once
#include <cstdint>

namespace graft::inline v1::qonnx {

/// The integer to which an operator rounds.
enum class RoundingMode : std::uint8_t {
  half_even,  ///< the nearest, ties to the even one: "ROUND", "HALF_EVEN"
  half_up,    ///< the nearest, ties away from 0
  half_down,  ///< the nearest, ties towards 0
  up,         ///< away from 0
  down,       ///< towards 0: "DOWN", "ROUND_TO_ZERO"
  floor,
  ceil,
};

}  // namespace graft::inline v1::qonnx
