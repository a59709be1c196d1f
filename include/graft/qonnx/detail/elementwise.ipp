#pragma once
#include <graft/qonnx/detail/elementwise.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool is_elementwise(const Node& node) {
  constexpr std::array<std::string_view, 51> known{
      "Abs",      "Acos",    "Add",     "And",       "Asin",        "Atan",    "Cast",           "Ceil",   "Celu",
      "Clip",     "Cos",     "Cosh",    "Div",       "Elu",         "Equal",   "Erf",            "Exp",    "Floor",
      "Gelu",     "Greater", "GreaterOrEqual",       "HardSigmoid", "HardSwish", "Identity",     "LeakyRelu",
      "Less",     "LessOrEqual",        "Log",       "Max",         "Min",     "Mish",           "Mul",    "Neg",
      "Not",      "Or",      "PRelu",   "Pow",       "Reciprocal",  "Relu",    "Round",          "Selu",   "Sigmoid",
      "Sign",     "Sin",     "Softplus", "Softsign", "Sqrt",        "Sub",     "Tanh",           "Where",  "Xor"};
  if (node.output_count() != 1) return false;
  if (is_quantizer(node)) return true;
  if (node.is("QuantizeLinear") || node.is("DequantizeLinear")) {
    const std::optional<Tensor> scale = node.input(1) != nullptr ? node.input(1)->constant() : std::nullopt;
    return scale && scale->size() == 1;
  }
  return node.domain().empty() && std::ranges::find(known, node.op_type()) != known.end();
}

}  // namespace graft::inline v1::qonnx::detail
