#pragma once
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1 {

/// Whether no quantized value stands for a number outside the bounds, in float32: then clipping to the bounds before
/// quantizing changes nothing, and a runtime may drop it.
inline bool inside(const QParams& q, const Range& bounds) { return q.range().within(bounds); }

/// The q-params nearest to q that lie inside the bounds. The scale goes down, by units in the last place where only
/// rounding stood in the way; where rounding put the zero point on the wrong side, its neighbours are tried, and what
/// loses least of q's range wins. q itself if the bounds do not contain 0, or contain nothing else: no scale fits.
QParams fitted_inside(const QParams& q, const Range& bounds);

/// The same with the zero point of q. q itself if q's range would lose a step or more at either end.
QParams scaled_inside(const QParams& q, const Range& bounds);

}  // namespace graft::inline v1
