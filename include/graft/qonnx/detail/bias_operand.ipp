#pragma once
#include <graft/qonnx/detail/bias_operand.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

/// Whether it makes one number of each element, by parameters that broadcast as operands of Add do.
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
