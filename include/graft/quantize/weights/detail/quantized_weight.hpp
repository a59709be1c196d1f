#pragma once
#include <graft/graph/graph.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_form.hpp>

namespace graft::inline v1::detail {

/// The constant float32 weight of a node in its form. Throws Error naming the weight if it cannot have that form.
inline QuantizedTensor quantized_weight(const Node& node, const WeightForm& form, const Target& target) {
  const Value& weight = *node.input(1);
  try {
    const Tensor tensor = weight.constant().value();
    return quantize_tensor(tensor, target.weight, form.axis(node, tensor.rank()), form.bits_of(node, target),
                           form.clipping);
  } catch (Error& error) {
    throw error.field(weight.name());
  }
}

}  // namespace graft::inline v1::detail
