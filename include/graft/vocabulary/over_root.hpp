#pragma once
#include <graft/pattern/capture.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/vocabulary/captures.hpp>

// The parts of normalizations in primitives.

namespace graft::inline v1::vocabulary {

inline constexpr auto half = cst<"half">.scalar().all_equal(0.5);
inline constexpr auto minus_half = cst<"minus_half">.scalar().all_equal(-0.5);
inline constexpr auto unity = cst<"unity">.scalar().all_equal(1);
inline constexpr auto two = cst<"two">.scalar().all_equal(2);
inline constexpr auto tiny = cst<"eps">.scalar();

constexpr auto mean_of(const pattern auto& p) { return op<"ReduceMean">(p).with(axes, keepdims == 1); }

/// p is a capture, or another output of a captured node.
constexpr auto square_of(const pattern auto& p) { return either(op<"Pow">(p, two), op<"Mul">(p, p)); }

constexpr auto root_of(const pattern auto& q) { return either(op<"Sqrt">(q), op<"Pow">(q, half)); }

/// 1 / root(q), Reciprocal(root(q)), or Pow(q, -0.5).
constexpr auto inverse_root_of(const pattern auto& q) {
  return either(op<"Div">(unity, root_of(q)), op<"Reciprocal">(root_of(q)), op<"Pow">(q, minus_half));
}

/// p / root(q), or p times the inverse.
constexpr auto over_root(const pattern auto& p, const pattern auto& q) {
  return either(op<"Div">(p, root_of(q)), comm<"Mul">(p, inverse_root_of(q)));
}

/// x / Sqrt(ReduceMean(x^2) + epsilon). This and other large patterns are functions: only their users compile them.
constexpr auto over_root_mean_square() { return over_root(x, comm<"Add">(mean_of(square_of(x)), tiny)); }

}  // namespace graft::inline v1::vocabulary
