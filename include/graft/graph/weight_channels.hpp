#pragma once
#include <cstddef>

#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Which input and output channel each element of a weight joins: that of a Conv [M, C/group, ...], of a ConvTranspose
/// [C, M/group, ...], of a MatMul [K, N], or of a Gemm [K, N], transposed [N, K]. Channels are counted through the
/// groups.
class WeightChannels {
 public:
  /// Preconditions: dims are at least two, of a MatMul or Gemm two, none is 0, and group divides the first.
  WeightChannels(const Node& product, const Dims& dims);

  std::size_t outputs() const { return has_inputs_in_front_ ? groups_ * second_ : first_; }
  std::size_t inputs() const { return has_inputs_in_front_ ? first_ : groups_ * second_; }
  /// Whether the first axis counts input channels, as in [K, N].
  bool has_inputs_in_front() const { return has_inputs_in_front_; }
  /// How many consecutive elements, counted from the first, join the same output channel.
  std::size_t run() const { return has_inputs_in_front_ ? positions_ : second_ * positions_; }
  /// Those of element i.
  std::size_t output(std::size_t i) const { return has_inputs_in_front_ ? along_second(i) : along_first(i); }
  std::size_t input(std::size_t i) const { return has_inputs_in_front_ ? along_first(i) : along_second(i); }
  /// f(i, output, input) for each element i, in their order, without a division for each.
  template <class F>
  void each(F f) const {
    std::size_t i = 0;
    for (std::size_t first = 0; first < first_; ++first) {
      const std::size_t begin = begin_of_group(first);
      for (std::size_t second = begin; second < begin + second_; ++second) {
        const std::size_t output = has_inputs_in_front_ ? second : first;
        const std::size_t input = has_inputs_in_front_ ? first : second;
        for (std::size_t at = 0; at < positions_; ++at) f(i++, output, input);
      }
    }
  }

 private:
  std::size_t along_first(std::size_t i) const { return i / (second_ * positions_); }
  std::size_t along_second(std::size_t i) const { return begin_of_group(along_first(i)) + i / positions_ % second_; }
  /// Of the channels along the second axis.
  std::size_t begin_of_group(std::size_t first) const { return first / (first_ / groups_) * second_; }

  std::size_t first_, second_;  // extents; the second is that of one group
  std::size_t groups_ = 1, positions_ = 1;
  bool has_inputs_in_front_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/weight_channels.ipp>
#endif
