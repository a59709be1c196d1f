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
  std::size_t output(std::size_t i) const { return i / output_stride_ % outputs_; }
  std::size_t input(std::size_t i) const {
    return output(i) / (outputs_ / groups_) * inputs_ + i / input_stride_ % inputs_;
  }

 private:
  std::size_t outputs_, inputs_, output_stride_, input_stride_, groups_ = 1;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/weight_channels.ipp>
#endif
