#pragma once
#include <variant>

#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

namespace graft::inline v1 {

/// Static quantization; or dynamic, for a model whose products are MatMul and Gemm alone, on a target that has kernels
/// for it, where that comes nearer to float on held-out samples. A model that also has convolutions, but does more in
/// MatMul and Gemm, is tried so where static quantization is poor: Fidelity::is_poor(). Dynamic quantization is not
/// tried where several ways are not compared, with one observer, with a goal, or with another option that only static
/// quantization heeds.
struct AutomaticQuantization {};

/// Weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticQuantization {};

/// How quantize() quantizes. DynamicOptions: weights beforehand, and activations as the model runs, by
/// quantize_dynamic(). BlockwiseOptions: weights alone, by quantize_weights_blockwise().
using QuantizationMode = std::variant<AutomaticQuantization, StaticQuantization, DynamicOptions, BlockwiseOptions>;

/// Whether scales of activations are found on samples, or known.
inline bool calibrates(const QuantizationMode& mode) {
  return std::holds_alternative<AutomaticQuantization>(mode) || std::holds_alternative<StaticQuantization>(mode);
}

}  // namespace graft::inline v1
