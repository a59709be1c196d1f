#pragma once
#include <functional>
#include <string>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  f(x, w), g(y, w)          w: an initializer
// After:   f(x, w), g(y, w')         w': a copy of w
//
// w is constant. The first reader in the order of nodes keeps it; outputs of a graph keep it too. Values, shapes and
// signature stay.

/// The pass that gives each initializer a single reader, so that changing an initializer changes one node only.
Pass unique_parameters();

// Before:  Add(x, c)
// After:   Add(x, c')           c' = clamp(round(c / step) * step, lowest, highest)
//
// For FIXED<width, integer>: step = 2^(integer - width), lowest = -2^(integer - 1), highest = 2^(integer - 1) - step. c
// is a float32 constant. Readers that are not selected keep it. Values change; shapes and signature stay.

/// Signed fixed-point numbers: the number of bits, and the number of bits in front of the point, both including the
/// sign.
struct FixedPoint {
  int width = 16;
  int integer = 8;
};

struct FixedPointOptions {
  FixedPoint type{};
  RoundingMode rounding = RoundingMode::half_even;
  /// Names of constants; if empty, all constants of nodes of these operators.
  std::vector<NamePattern> names{};
  std::vector<std::string> ops{"Add", "Mul"};
  /// Called for each constant with the largest change, and whether elements were clamped.
  std::function<void(const Value& constant, double error, bool clamped)> moved{};
};

/// The pass that rounds constants to fixed-point numbers, in bodies too; functions have no initializers. Its notes give
/// the largest change of each. Throws Error for a type that is not FIXED<width, integer>. The width must be 1 to 24
/// bits, which float32 holds, and the step a normal float32; otherwise throws Error.
Pass fixed_point_parameters(FixedPointOptions options);

}  // namespace graft::inline v1::qonnx
