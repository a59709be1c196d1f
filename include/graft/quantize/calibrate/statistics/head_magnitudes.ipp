#pragma once
#include <graft/quantize/calibrate/statistics/head_magnitudes.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void HeadMagnitudes::add(const Tensor& tensor, const Range& range) {
  if (range.empty()) return;
  if (tensor.rank() != 4) throw Error("has rank " + std::to_string(tensor.rank()) + ", not 4");
  const auto extent = [&](std::size_t axis) { return static_cast<std::size_t>(tensor.dims()[axis]); };
  expect(extent(1), extent(3));
  const std::span<const float> values = tensor.data<float>();
  const std::size_t pairs = rotated_.features / 2;
  for (std::size_t row = 0; row * size_ < values.size(); ++row) {
    const float* const x = values.data() + row * size_;
    float* const seen = each_.data() + row / extent(2) % extent(1) * size_;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t a = rotated_.interleaved ? 2 * i : i, b = rotated_.interleaved ? a + 1 : i + pairs;
      seen[a] = seen[b] = std::max(seen[a], std::hypot(x[a], x[b]));
    }
    for (std::size_t i = 2 * pairs; i < size_; ++i) seen[i] = std::max(seen[i], std::abs(x[i]));
  }
}

GRAFT_INLINE void HeadMagnitudes::merge(const HeadMagnitudes& later) {
  if (!(rotated_ == later.rotated_)) throw Error("other features are rotated");
  if (later.size_ == 0) return;
  expect(later.heads(), later.size_);
  for (std::size_t i = 0; i < each_.size(); ++i) each_[i] = std::max(each_[i], later.each_[i]);
}

GRAFT_INLINE void HeadMagnitudes::write(detail::StatisticOutput& out) const {
  for (const std::size_t number : {rotated_.features, std::size_t{rotated_.interleaved}, size_, each_.size()})
    out.WriteVarint64(number);
  for (const float magnitude : each_) detail::write_double(out, magnitude);
}

GRAFT_INLINE HeadMagnitudes HeadMagnitudes::read(detail::StatisticInput& in) {
  HeadMagnitudes result;
  result.rotated_.features = detail::read_count(in);
  result.rotated_.interleaved = detail::read_count(in) != 0;
  result.size_ = detail::read_count(in);
  const std::size_t count = detail::read_count(in);
  for (std::size_t i = 0; i < count; ++i) result.each_.push_back(static_cast<float>(detail::read_double(in)));
  if (result.size_ == 0 ? count != 0 : count % result.size_ != 0 || result.rotated_.features > result.size_)
    throw Error("its heads have no size");
  return result;
}

GRAFT_INLINE void HeadMagnitudes::expect(std::size_t heads, std::size_t size) {
  if (rotated_.features > size)
    throw Error(std::to_string(rotated_.features) + " features of a head of " + std::to_string(size) + " are rotated");
  if (size_ == 0) {
    size_ = size;
    each_.resize(heads * size);
  }
  if (size_ == size && each_.size() == heads * size) return;
  throw Error("has " + std::to_string(heads) + " heads of " + std::to_string(size) + ", had " +
              std::to_string(each_.size() / size_) + " of " + std::to_string(size_));
}

}  // namespace graft::inline v1
