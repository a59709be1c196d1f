#pragma once
#include <limits>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1::detail {

/// Whether a score to which this is added weighs nothing beside one to which nothing is.
inline bool hides_scores(double added, DType dtype) { return added <= (dtype == DType::f16 ? -65504 : -1e30); }

/// Whether the sum with any score is the number itself, by rounding: then rows in which it hides all keys are the same
/// as by Where. No finite number of f16 does that.
inline bool absorbs_scores(double added, DType dtype) {
  return added <= (dtype == DType::f16 ? -std::numeric_limits<double>::infinity() : -1e30);
}

}  // namespace graft::inline v1::detail
