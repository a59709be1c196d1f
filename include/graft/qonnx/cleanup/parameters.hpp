#pragma once
#include <functional>
#include <string>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::qonnx {

// Before:  f(x, w), g(y, w)          w: an initializer
// After:   f(x, w), g(y, w')         w': a copy of w
//
// w is constant. The first use in the order of nodes keeps it; a use as an output of a graph does, too. Values, shapes
// and signature stay.

/// The pass after which each initializer is read once, so that whoever changes what a node reads changes that node
/// alone.
Pass unique_parameters();

// Before:  Add(x, c)
// After:   Add(x, c')           c' = clamp(round(c / step) * step, lowest, highest)
//
// For FIXED<width, integer>: step = 2^(integer - width), lowest = -2^(integer - 1), highest = 2^(integer - 1) - step.
// c is a float32 constant. Where others read it that are not chosen, they keep it. Values change; shapes and signature
// stay.

/// Signed fixed-point numbers: so many bits in all, and of these so many in front of the point, the sign among them.
struct FixedPoint {
  int width = 16;
  int integer = 8;
};

struct FixedPointOptions {
  FixedPoint type{};
  RoundingMode rounding = RoundingMode::half_even;
  /// Constants by their names; none: all that nodes of these operators read.
  std::vector<NamePattern> names{};
  std::vector<std::string> ops{"Add", "Mul"};
  /// Called for each constant with the largest change and whether elements were clamped.
  std::function<void(const Value& constant, double error, bool clamped)> moved{};
};

/// The pass that makes constants numbers of a fixed point, in bodies too; functions have no initializers, and stay. Its
/// notes say by how much each moved at most. Throws Error for what is no FIXED<width, integer>, for a width
/// that float32 does not hold, 1 to 24 bits, and for a step that is no normal float32.
Pass fixed_point_parameters(FixedPointOptions options);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/parameters.ipp>
#endif
