#pragma once
#include <cstddef>

#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Maps each element of a weight to its input and output channel. Shapes: Conv [M, C/group, ...], ConvTranspose [C,
/// M/group, ...], MatMul [K, N], Gemm [K, N], or transposed [N, K]. Channel numbers run through all groups.
class WeightChannels {
 public:
  /// Preconditions: at least two dims (MatMul, Gemm: exactly two), none of them 0, and group divides the first.
  WeightChannels(const Node& product, const Dims& dims);

  std::size_t outputs() const { return has_inputs_in_front_ ? groups_ * second_ : first_; }
  std::size_t inputs() const { return has_inputs_in_front_ ? first_ : groups_ * second_; }
  /// Whether the first axis holds the input channels, as in [K, N].
  bool has_inputs_in_front() const { return has_inputs_in_front_; }
  /// The number of consecutive elements, counted from the first, with the same output channel.
  std::size_t run() const { return has_inputs_in_front_ ? positions_ : second_ * positions_; }
  /// The output channel and the input channel of element i.
  std::size_t output(std::size_t i) const { return has_inputs_in_front_ ? along_second(i) : along_first(i); }
  std::size_t input(std::size_t i) const { return has_inputs_in_front_ ? along_first(i) : along_second(i); }
  /// Calls f(i, output, input) for each element i in order. Needs no division for each element.
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
  /// The first channel on the second axis of the group that channel `first` belongs to.
  std::size_t begin_of_group(std::size_t first) const { return first / (first_ / groups_) * second_; }

  std::size_t first_, second_;  // extents; second_ is the extent within one group
  std::size_t groups_ = 1, positions_ = 1;
  bool has_inputs_in_front_;
};

}  // namespace graft::inline v1
