#pragma once
#include <array>
#include <string_view>

#include <graft/graph/node.hpp>

namespace graft::inline v1::qonnx {

/// The domain of QONNX's operators.
inline constexpr std::string_view domain = "qonnx.custom_op.general";
/// `domain` and the names that earlier exporters used.
inline constexpr std::array<std::string_view, 3> domains{domain, "onnx.brevitas", "finn.custom_op.general"};
/// The domain of operators with channels on the last axis.
inline constexpr std::string_view channels_last_domain = "qonnx.custom_op.channels_last";

/// Whether a domain is one of `domains`.
bool is_qonnx_domain(std::string_view name);

/// Whether the node calls a local function of the model. A local function has precedence over an operator of its name.
bool calls_function(const Node& node);

/// Whether the node is this operator of QONNX, in any spelling of the domain. IntQuant is another name of Quant. A
/// local function of that name does not count.
bool is_op(const Node& node, std::string_view op_type);

bool is_quant(const Node& node);
bool is_bipolar_quant(const Node& node);
/// Whether the node is a quantizer of QONNX: Quant, BipolarQuant, FloatQuant or Trunc.
bool is_quantizer(const Node& node);

}  // namespace graft::inline v1::qonnx
