#pragma once
#include <graft/session/paired_ratio.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

namespace detail {

/// The number of smallest means of pairs, and of largest ones, outside the interval.
inline std::size_t signed_rank_cut(std::size_t pairs, double confidence) {
  // The probability of each sum of ranks, where each rank is positive with probability 1/2.
  std::vector<double> probability{1};
  for (std::size_t rank = 1; rank <= pairs; ++rank) {
    std::vector<double> next(probability.size() + rank);
    for (std::size_t sum = 0; sum < probability.size(); ++sum) {
      next[sum] += probability[sum] / 2;
      next[sum + rank] += probability[sum] / 2;
    }
    probability = std::move(next);
  }
  std::size_t cut = 0;
  double tail = probability[0];
  while (tail <= (1 - confidence) / 2) tail += probability[++cut];
  return cut;
}

}  // namespace detail

GRAFT_INLINE PairedRatio paired_ratio(std::span<const double> times, std::span<const double> against,
                                      double confidence) {
  if (times.size() != against.size()) throw Error("times are not in pairs");
  if (!(confidence > 0 && confidence < 1)) throw Error("is not between 0 and 1").field("confidence");
  std::vector<double> logs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    logs.push_back(std::log(times[i] / against[i]));
    if (!(times[i] > 0) || !(against[i] > 0) || !std::isfinite(logs.back()))
      throw Error("a time is not positive and finite");
  }
  PairedRatio result;
  result.pairs = logs.size();
  if (logs.empty()) return result;
  std::vector<double> means;  // Walsh averages
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t k = i; k < logs.size(); ++k) means.push_back((logs[i] + logs[k]) / 2);
  std::sort(means.begin(), means.end());
  const std::size_t middle = means.size() / 2;
  result.ratio = std::exp(means.size() % 2 == 1 ? means[middle] : (means[middle - 1] + means[middle]) / 2);
  const std::size_t cut = detail::signed_rank_cut(logs.size(), confidence);
  if (cut == 0) return result;
  result.low = std::exp(means[cut - 1]);
  result.high = std::exp(means[means.size() - cut]);
  return result;
}

}  // namespace graft::inline v1
