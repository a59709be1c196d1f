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
  /// f(i, input, output) for each element i, in their order.
  template <class F>
  void each(F f) const {
    std::size_t i = 0;
    if (has_inputs_in_front_) {
      for (std::size_t in = 0; in < inputs_; ++in)
        for (std::size_t out = 0; out < outputs_; ++out) f(i++, in, out);
      return;
    }
    for (std::size_t out = 0; out < outputs_; ++out) {
      const std::size_t first = out / (outputs_ / groups_) * inputs_;
      for (std::size_t in = 0; in < inputs_; ++in)
        for (std::size_t at = 0; at < positions_; ++at) f(i++, first + in, out);
    }
  }

 private:
  std::size_t outputs_, inputs_, groups_ = 1;  // the inputs of one group
  std::size_t positions_ = 1;                  // of a kernel
  bool has_inputs_in_front_;                   // [K, N]
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/weight_channels.ipp>
#endif
