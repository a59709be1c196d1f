#pragma once
#include <graft/graph/dtype.hpp>

namespace graft::inline v1::detail {

/// Whether a number that is added to a score leaves nothing of it: rounding drops what is so small beside it.
inline bool hides_scores(double added, DType dtype) { return added <= (dtype == DType::f16 ? -65504 : -1e30); }

}  // namespace graft::inline v1::detail
