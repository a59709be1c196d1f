#pragma once
#include <span>

#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// The difference between the outputs of one sample and those of the float graph: the mean, over all outputs, of the
/// noise power divided by the signal power, at most 1. For integers and booleans it is the share of elements that
/// differ.
double noise_share(std::span<const Tensor> floats, std::span<const Tensor> quantized);

}  // namespace graft::inline v1::detail
