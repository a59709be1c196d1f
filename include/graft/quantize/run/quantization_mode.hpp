#pragma once
#include <variant>

#include <graft/quantize/dynamic/quantize_dynamic.hpp>

namespace graft::inline v1 {

/// Weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticQuantization {};

/// What quantize() makes integers of: StaticQuantization; with DynamicOptions weights, and activations as the model
/// runs.
using QuantizationMode = std::variant<StaticQuantization, DynamicOptions>;

inline bool is_static(const QuantizationMode& mode) { return std::holds_alternative<StaticQuantization>(mode); }

}  // namespace graft::inline v1
