#pragma once
#include <variant>

#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

namespace graft::inline v1 {

/// Static quantization; or dynamic, for a model whose products are MatMul and Gemm alone, on a target that has kernels
/// for it, where that comes nearer to float on held-out samples. It is not tried where an option asks for what only
/// static quantization has.
struct AutomaticQuantization {};

/// Weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticQuantization {};

/// What quantize() makes integers of: with DynamicOptions weights, and activations as the model runs:
/// quantize_dynamic(); with BlockwiseOptions weights alone: quantize_weights_blockwise().
using QuantizationMode = std::variant<AutomaticQuantization, StaticQuantization, DynamicOptions, BlockwiseOptions>;

/// Whether scales of activations are found on samples, or known.
inline bool calibrates(const QuantizationMode& mode) {
  return std::holds_alternative<AutomaticQuantization>(mode) || std::holds_alternative<StaticQuantization>(mode);
}

}  // namespace graft::inline v1
