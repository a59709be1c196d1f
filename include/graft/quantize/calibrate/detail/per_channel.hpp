#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>

namespace graft::inline v1::detail {

/// A T for each channel. Channels are axis 1 of [N, C, ...]; a tensor of a lower rank has one channel.
template <class T>
class PerChannel {
 public:
  const std::vector<T>& each() const { return each_; }
  /// The number of values in each channel.
  std::uint64_t count() const { return count_; }

  /// Calls f(T&, values of the channel in one row) for a tensor that is not empty. Throws Error if the number of
  /// channels differs from the earlier one.
  template <class F>
  void add(const Tensor& tensor, F f) {
    const Dims& dims = tensor.dims();
    const std::size_t channels = dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[1]);
    expect(channels);
    const std::span<const float> values = tensor.data<float>();
    const std::size_t rows = (dims.size() < 2 ? 1 : static_cast<std::size_t>(dims[0])) * channels;
    const std::size_t inner = values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) f(each_[row % channels], values.subspan(row * inner, inner));
    count_ += rows / channels * inner;
  }
  /// Calls f(T&, T of the later samples) for each channel.
  template <class F>
  void merge(const PerChannel& later, F f) {
    if (later.each_.empty()) return;
    expect(later.each_.size());
    for (std::size_t c = 0; c < each_.size(); ++c) f(each_[c], later.each_[c]);
    count_ += later.count_;
  }
  /// Appends the channels of another tensor. Calls f(T, ratio of this count to the other's).
  template <class F>
  void append(const PerChannel& further, F f) {
    if (each_.empty()) count_ = further.count_;
    const double ratio = static_cast<double>(count_) / static_cast<double>(further.count_);
    for (const T& one : further.each_) each_.push_back(f(one, ratio));
  }
  friend bool operator==(const PerChannel&, const PerChannel&) = default;

  template <class Write>
  void write(StatisticOutput& out, Write write_one) const {
    out.WriteVarint64(each_.size());
    out.WriteVarint64(count_);
    for (const T& one : each_) write_one(out, one);
  }
  template <class Read>
  static PerChannel read(StatisticInput& in, Read read_one) {
    PerChannel result;
    const std::uint64_t channels = read_count(in);
    result.count_ = read_count(in);
    for (std::uint64_t c = 0; c < channels; ++c) result.each_.push_back(read_one(in));
    return result;
  }

 private:
  void expect(std::size_t channels) {
    if (each_.empty()) each_.resize(channels);
    if (each_.size() == channels) return;
    raise(Error("has " + std::to_string(channels) + " channels, had " + std::to_string(each_.size())));
  }

  std::vector<T> each_;
  std::uint64_t count_ = 0;  // values of one channel
};

}  // namespace graft::inline v1::detail
