#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/interpolation.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// A weighted sum of elements of an image, built axis by axis.
class Sample {
 public:
  using Part = std::pair<std::int64_t, double>;  // an index and its weight

  /// Adds the next axis: combines each part so far with each of these.
  void along(std::int64_t extent, const std::vector<Part>& next) {
    joined_.clear();
    for (const auto& [index, weight] : parts_) {
      for (const auto& [inner, factor] : next) joined_.emplace_back(index * extent + inner, weight * factor);
    }
    parts_.swap(joined_);
  }

  const std::vector<Part>& parts() const { return parts_; }

  template <class T>
  double of(const T* image) const {
    double sum = 0;
    for (const auto& [index, weight] : parts_) sum += weight * static_cast<double>(image[index]);
    return sum;
  }

 private:
  std::vector<Part> parts_{{0, 1.0}}, joined_;
};

/// The neighbours of a position along an axis; positions outside count as zeros.
inline std::vector<Sample::Part> neighbours_inside(double at, std::int64_t extent, const Interpolation& weight) {
  std::vector<Sample::Part> parts;
  if (!(at > -weight.support() && at < static_cast<double>(extent - 1) + weight.support())) return parts;
  for (std::int64_t i = weight.first(at); i < weight.last(at); ++i) {
    if (i >= 0 && i < extent) parts.emplace_back(i, weight(static_cast<double>(i) - at));
  }
  return parts;
}

}  // namespace graft::inline v1::standard_kernels::detail
