#pragma once
#include <limits>
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether a score to which this is added weighs nothing beside one to which nothing is.
inline bool hides_scores(double added, DType dtype) { return added <= (dtype == DType::f16 ? -65504 : -1e30); }

/// Whether the sum with any score is the number itself, by rounding: then rows in which it hides all keys are the same
/// as by Where. No finite number of f16 does that.
inline bool absorbs_scores(double added, DType dtype) {
  return added <= (dtype == DType::f16 ? -std::numeric_limits<double>::infinity() : -1e30);
}

/// What Where adds to scores where it does not keep them; nullopt if they would be seen through it.
inline std::optional<Tensor> hiding(const Value* fill) {
  const auto number = fill == nullptr ? std::nullopt : fill->constant();
  if (!number || number->size() != 1 || !absorbs_scores(number->item<double>(), number->dtype())) return std::nullopt;
  return number;
}

}  // namespace graft::inline v1::detail
