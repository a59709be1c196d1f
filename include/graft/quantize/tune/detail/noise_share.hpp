#pragma once
#include <span>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// How far the outputs of one sample are from those of the float graph: the mean, over all outputs, of the power of the
/// noise as a share of the signal's, at most 1; of integers and truth values, of the share of elements that differ.
double noise_share(std::span<const Tensor> floats, std::span<const Tensor> quantized);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/noise_share.ipp>
#endif
