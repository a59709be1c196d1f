#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

#include <graft/config.hpp>

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

/// The mode of an attribute rounding_mode, in upper or lower case; nullopt if the name is unknown.
std::optional<RoundingMode> rounding_mode(std::string_view name);

/// The name of the mode as QONNX spells it: "ROUND" for half_even.
std::string_view to_string(RoundingMode mode);
std::ostream& operator<<(std::ostream& out, RoundingMode mode);

/// Rounds in float32 arithmetic, as QONNX does: half_up is sign(x) * floor(|x| + 0.5), so the float below 0.5 gives 1.
/// NaN and infinities stay, and results of 0 have the sign of x.
float round(float x, RoundingMode mode);

}  // namespace graft::inline v1::qonnx
