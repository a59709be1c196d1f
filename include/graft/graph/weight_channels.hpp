#pragma once
#include <cstddef>

#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Which input and output channel each element of a weight joins: that of a Conv [M, C/group, ...], of a MatMul [K, N],
/// or of a Gemm [K, N], transposed [N, K]. Input channels are counted through the groups.
class WeightChannels {
 public:
  /// Preconditions: dims are at least two, of a MatMul or Gemm two, none is 0, and group divides the first of a Conv.
  WeightChannels(const Node& product, const Dims& dims);

  std::size_t outputs() const { return outputs_; }
  std::size_t inputs() const { return inputs_ * groups_; }
  /// Whether the weight is [K, N]: consecutive elements join consecutive output channels.
  bool has_inputs_in_front() const { return has_inputs_in_front_; }
  /// Those of element i.
  std::size_t output(std::size_t i) const { return has_inputs_in_front_ ? i % outputs_ : i / (inputs_ * positions_); }
  std::size_t input(std::size_t i) const {
    return has_inputs_in_front_ ? i / outputs_ : first_input(output(i)) + i / positions_ % inputs_;
  }
  /// f(i, output, input) for each element i, in their order, without a division for each.
  template <class F>
  void each(F f) const {
    std::size_t i = 0;
    if (has_inputs_in_front_) {
      for (std::size_t in = 0; in < inputs_; ++in)
        for (std::size_t out = 0; out < outputs_; ++out) f(i++, out, in);
      return;
    }
    for (std::size_t out = 0; out < outputs_; ++out) {
      const std::size_t first = first_input(out);
      for (std::size_t in = first; in < first + inputs_; ++in)
        for (std::size_t at = 0; at < positions_; ++at) f(i++, out, in);
    }
  }

 private:
  /// Of the group of an output channel.
  std::size_t first_input(std::size_t out) const { return out / (outputs_ / groups_) * inputs_; }

  std::size_t outputs_, inputs_, groups_ = 1;  // the inputs of one group
  std::size_t positions_ = 1;                  // of a kernel
  bool has_inputs_in_front_;                   // [K, N]
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/weight_channels.ipp>
#endif
