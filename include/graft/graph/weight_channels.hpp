#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph/node.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1 {

/// Which input and output channel each element of the weight of a Conv [M, C/group, ...], or of a Gemm [K, N],
/// transposed [N, K], joins. Input channels are counted through the groups.
class WeightChannels {
 public:
  /// Preconditions: dims are at least two, of a Gemm two, none is 0, and group divides the first of a Conv.
  WeightChannels(const Node& product, const Dims& dims) {
    const auto extent = [&dims](std::size_t i) { return static_cast<std::size_t>(dims[i]); };
    const bool is_gemm = product.is("Gemm");
    const std::size_t across = is_gemm && product.attr<std::int64_t>("transB").value_or(0) == 0 ? 1 : 0;
    outputs_ = extent(across);
    inputs_ = extent(1 - across);
    std::size_t spatial = 1;
    for (std::size_t i = 2; i < dims.size(); ++i) spatial *= extent(i);
    output_stride_ = across == 0 ? inputs_ * spatial : 1;
    input_stride_ = across == 0 ? spatial : outputs_;
    if (!is_gemm) groups_ = static_cast<std::size_t>(product.attr<std::int64_t>("group").value_or(1));
  }

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
