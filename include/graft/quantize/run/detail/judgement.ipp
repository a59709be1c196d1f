#pragma once
#include <graft/quantize/run/detail/judgement.hpp>

#include <algorithm>
#include <cmath>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

inline constexpr double as_near = 1.05;  ///< times the error of another

GRAFT_INLINE bool Judgement::is_better(const Judgement& other) const {
  if (!is_quantized && other.is_quantized) return false;
  if (!other.is_quantized) return time < 0.98 * other.time && !fidelity.is_poor();
  const double error = 1 - fidelity.cosine, error_of_other = 1 - other.fidelity.cosine;
  if (other.fidelity.is_poor()) return error < error_of_other;
  if (error < 0.9 * error_of_other) return time <= 1.05 * other.time;
  const bool is_as_near = error <= as_near * error_of_other && fidelity.agreement >= other.fidelity.agreement;
  return is_as_near && time < 0.98 * other.time;
}

GRAFT_INLINE double Judgement::least_cosine() const { return !is_quantized ? -1 : 1 - as_near * (1 - fidelity.cosine); }

GRAFT_INLINE bool Judgement::is_nearer(const Judgement& simpler) const {
  constexpr double least_lead = 0.02;
  const std::size_t count = std::min(errors.size(), simpler.errors.size());
  if (count == 0) return false;
  const auto n = static_cast<double>(count);
  double lead = 0, greatest = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    lead += (simpler.errors[i] - errors[i]) / n;
    greatest += simpler.errors[i] / n;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double rest = simpler.errors[i] - errors[i] - lead;
    squares += rest * rest;
  }
  const double standard_error = count == 1 ? 0 : std::sqrt(squares / (n - 1) / n);
  return lead > standard_error && lead > least_lead * greatest;
}

}  // namespace graft::inline v1::detail
