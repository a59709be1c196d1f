#pragma once
#include <optional>

#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/formats.hpp>

namespace graft::inline v1::qonnx {

/// How a Quant quantizes: its scale, zero point and bit width, float32 each and broadcast to the tensor, and its
/// attributes.
struct Quantizer {
  Tensor scale{}, zero_point{}, bits{};
  bool is_signed = true;
  bool is_narrow = false;
  RoundingMode rounding = RoundingMode::half_even;
};

/// Whether the range is narrow: attribute narrow, by default 0.
bool is_narrow(const Node& node);
/// Whether the integers have a sign: attribute signed, by default 1.
bool is_signed(const Node& node);
/// Attribute rounding_mode, by default ROUND; of Trunc, FLOOR. Throws Error, with node and field, if there is no such
/// mode.
RoundingMode rounding_mode(const Node& node);

/// The attributes of a Quant that quantizes so: signed, narrow and rounding_mode.
Attributes attributes_of(const Quantizer& quantizer);

/// How a Quant with constant parameters quantizes; nullopt if one of them is not constant, or is no float32. Throws
/// Error for a rounding mode that does not exist.
std::optional<Quantizer> quantizer_of(const Node& quant);

/// Puts a Quant of these parameters before the node `before` (nullptr: at the end of the graph), imports its domain if
/// the model does not, and returns its output, which nothing reads yet. `x` keeps its users. Throws Error in a local
/// function that does not import the domain.
Value& insert_quant(Value& x, const Quantizer& quantizer, Node* before);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/quantizer.ipp>
#endif
