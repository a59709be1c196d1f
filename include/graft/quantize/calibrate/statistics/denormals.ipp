#pragma once
#include <graft/quantize/calibrate/statistics/denormals.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/denormals.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Denormals::add(const Tensor& tensor, const Range&) {
  count_ += count_denormals(tensor.data<float>());
  total_ += static_cast<std::uint64_t>(tensor.size());
}

GRAFT_INLINE void Denormals::merge(const Denormals& later) {
  count_ += later.count_;
  total_ += later.total_;
}

GRAFT_INLINE void Denormals::write(detail::StatisticOutput& out) const {
  out.WriteVarint64(count_);
  out.WriteVarint64(total_);
}

GRAFT_INLINE Denormals Denormals::read(detail::StatisticInput& in) {
  Denormals result;
  result.count_ = detail::read_count(in);
  result.total_ = detail::read_count(in);
  return result;
}

GRAFT_INLINE std::vector<std::string> notes_on_denormals(const Statistics<Denormals>& seen, double share) {
  std::vector<std::pair<double, std::string>> slow;
  for (const auto& [name, denormals] : seen)
    if (denormals.share() > share) slow.emplace_back(-denormals.share(), name);
  std::sort(slow.begin(), slow.end());
  std::vector<std::string> notes;
  for (const auto& [negative, name] : slow)
    notes.push_back("tensor '" + name + "': " + std::to_string(std::lround(-100 * negative)) +
                    " % of its values are denormal, below 2^-126, which slows the float model down");
  return notes;
}

}  // namespace graft::inline v1
