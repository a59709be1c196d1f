#pragma once
#include <graft/qonnx/ops/rounding_mode.hpp>

#include <cmath>
#include <string>

#include <graft/config.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE std::optional<RoundingMode> rounding_mode(std::string_view name) {
  std::string upper(name);
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (upper == "ROUND" || upper == "HALF_EVEN") return RoundingMode::half_even;
  if (upper == "HALF_UP") return RoundingMode::half_up;
  if (upper == "HALF_DOWN") return RoundingMode::half_down;
  if (upper == "UP") return RoundingMode::up;
  if (upper == "DOWN" || upper == "ROUND_TO_ZERO") return RoundingMode::down;
  if (upper == "FLOOR") return RoundingMode::floor;
  if (upper == "CEIL") return RoundingMode::ceil;
  return std::nullopt;
}

GRAFT_INLINE std::string_view to_string(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::half_even: return "ROUND";
    case RoundingMode::half_up: return "HALF_UP";
    case RoundingMode::half_down: return "HALF_DOWN";
    case RoundingMode::up: return "UP";
    case RoundingMode::down: return "DOWN";
    case RoundingMode::floor: return "FLOOR";
    case RoundingMode::ceil: return "CEIL";
  }
  return "";
}

GRAFT_INLINE std::ostream& operator<<(std::ostream& out, RoundingMode mode) { return out << to_string(mode); }

GRAFT_INLINE float round(float x, RoundingMode mode) {
  const float magnitude = std::fabs(x);
  switch (mode) {
    case RoundingMode::half_even:
      return std::copysign(static_cast<float>(graft::detail::round_half_even(magnitude)), x);
    case RoundingMode::half_up: return std::copysign(std::floor(magnitude + 0.5F), x);
    case RoundingMode::half_down: return std::copysign(std::ceil(magnitude - 0.5F), x);
    case RoundingMode::up: return std::copysign(std::ceil(magnitude), x);
    case RoundingMode::down: return std::trunc(x);
    case RoundingMode::floor: return std::floor(x);
    case RoundingMode::ceil: return std::ceil(x);
  }
  return x;
}

}  // namespace graft::inline v1::qonnx
