#pragma once
#include <graft/qonnx/detail/elementwise.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool is_elementwise(const Node& node) {
  constexpr std::array<std::string_view, 51> known{
      "Abs",         "Acos",      "Add",        "And",       "Asin",  "Atan",        "Cast",
      "Ceil",        "Celu",      "Clip",       "Cos",       "Cosh",  "Div",         "Elu",
      "Equal",       "Erf",       "Exp",        "Floor",     "Gelu",  "Greater",     "GreaterOrEqual",
      "HardSigmoid", "HardSwish", "Identity",   "LeakyRelu", "Less",  "LessOrEqual", "Log",
      "Max",         "Min",       "Mish",       "Mul",       "Neg",   "Not",         "Or",
      "PRelu",       "Pow",       "Reciprocal", "Relu",      "Round", "Selu",        "Sigmoid",
      "Sign",        "Sin",       "Softplus",   "Softsign",  "Sqrt",  "Sub",         "Tanh",
      "Where",       "Xor"};
  if (node.output_count() != 1) return false;
  if (is_quantizer(node)) return true;
  if (node.is("QuantizeLinear") || node.is("DequantizeLinear")) {
    const std::optional<Tensor> scale = node.input(1) != nullptr ? node.input(1)->constant() : std::nullopt;
    return scale && scale->size() == 1;
  }
  return node.domain().empty() && std::ranges::find(known, node.op_type()) != known.end();
}

/// Whether it maps each element to one number, with parameters that broadcast like operands of Add.
inline bool quantizes_elements(const Node& node) {
  if (is_quantizer(node)) return true;
  if (!node.is("DequantizeLinear")) return false;
  return node.input(1) != nullptr && node.input(1)->constant() && node.input(1)->constant()->size() == 1;
}

GRAFT_INLINE Value& bias_operand(Value& bias, std::size_t rank, Rewriter& rewriter) {
  const auto reshaped = [&](const Tensor& x) {
    Dims dims(rank, 1);
    dims[1] = x.size();
    return x.reshaped(dims);
  };
  if (const std::optional<Tensor> constant = bias.constant())
    return rewriter.constant(reshaped(*constant), bias.name());
  Node* const maker = bias.producer();
  if (maker != nullptr && maker->output_count() == 1 && quantizes_elements(*maker)) {
    std::vector<Value*> inputs;
    for (Value* const input : maker->inputs()) {
      const std::optional<Tensor> constant = input != nullptr ? input->constant() : std::nullopt;
      if (!constant) break;
      const bool is_whole = inputs.empty() || constant->size() != 1;
      inputs.push_back(is_whole ? &rewriter.constant(reshaped(*constant), input->name()) : input);
    }
    if (inputs.size() == maker->input_count()) return *rewriter.clone(*maker, inputs).output(0);
  }
  Ints dims(rank, 1);
  dims[1] = -1;
  return rewriter.op("Reshape", {&bias, &rewriter.ints(dims, "")});
}

}  // namespace graft::inline v1::qonnx::detail
