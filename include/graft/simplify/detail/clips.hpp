#pragma once
#include <graft/pattern.hpp>
#include <graft/simplify/detail/captures.hpp>

// Clip with constant bounds, which are attributes before version 11.

namespace graft::inline v1::detail::simplification {

inline constexpr auto clip_min = param<"min", float>;
inline constexpr auto clip_max = param<"max", float>;

/// x, of a dtype whose bounds a float holds.
inline constexpr auto single = x.dtype(DType::f32, DType::f16);

}  // namespace graft::inline v1::detail::simplification
