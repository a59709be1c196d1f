#pragma once
#include <variant>

#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

namespace graft::inline v1 {

/// Weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticQuantization {};

/// What quantize() makes integers of: with DynamicOptions weights, and activations as the model runs:
/// quantize_dynamic(); with BlockwiseOptions weights alone: quantize_weights_blockwise().
using QuantizationMode = std::variant<StaticQuantization, DynamicOptions, BlockwiseOptions>;

inline bool is_static(const QuantizationMode& mode) { return std::holds_alternative<StaticQuantization>(mode); }

}  // namespace graft::inline v1
