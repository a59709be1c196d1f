#pragma once
#include <optional>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx {

/// The parameters of a Quant: scale, zero point and bit width, which are float32 and broadcast to the tensor, and its
/// attributes.
struct Quantizer {
  Tensor scale{}, zero_point{}, bits{};
  bool is_signed = true;
  bool is_narrow = false;
  RoundingMode rounding = RoundingMode::half_even;
};

/// Whether the range is narrow: attribute narrow, default 0.
bool is_narrow(const Node& node);
/// Whether the integers are signed: attribute signed, default 1.
bool is_signed(const Node& node);
/// Attribute rounding_mode, default ROUND; for Trunc, FLOOR. Throws Error, with node and field, for an unknown mode.
RoundingMode rounding_mode(const Node& node);

/// The attributes of such a Quant: signed, narrow and rounding_mode.
Attributes attributes_of(const Quantizer& quantizer);

/// The parameters of a Quant if they are constant; nullopt if one is not constant, or not float32. Throws Error for an
/// unknown rounding mode.
std::optional<Quantizer> quantizer_of(const Node& quant);

/// Inserts a Quant with these parameters before the node `before` (nullptr: at the end of the graph), imports its
/// domain if needed, and returns its output, which has no readers yet. `x` keeps its readers. Throws Error in a local
/// function that does not import the domain.
Value& insert_quant(Value& x, const Quantizer& quantizer, Node* before);

}  // namespace graft::inline v1::qonnx
