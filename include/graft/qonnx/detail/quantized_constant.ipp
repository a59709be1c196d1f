#pragma once
#include <graft/qonnx/detail/quantized_constant.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dims.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool is_quantized_constant(const Value& value) {
  const Node* const node = value.producer();
  if (node == nullptr || node->output_count() != 1 || (!is_quantizer(*node) && !node->is("DequantizeLinear")))
    return false;
  const InputRange inputs = node->inputs();
  return std::all_of(inputs.begin(), inputs.end(),
                     [](const Value* input) { return input == nullptr || input->is_constant(); });
}

GRAFT_INLINE std::optional<Tensor> contents_of(const Value& weight) {
  return weight.is_constant() ? weight.constant() : weight.producer()->input(0)->constant();
}

GRAFT_INLINE Value* edited_weight(Value& weight, const ConstantEdit& edit,
                                  const std::function<std::int64_t(std::int64_t)>& axis, Rewriter& rewriter) {
  const std::optional<Tensor> contents = contents_of(weight);
  if (!contents) return nullptr;
  const std::optional<Tensor> edited = edit(*contents, false);
  if (!edited) return nullptr;
  if (weight.is_constant()) return &rewriter.constant(*edited, weight.name());
  Node& quantizer = *weight.producer();
  const bool is_linear = quantizer.is("DequantizeLinear");
  std::vector<Value*> inputs{&rewriter.constant(*edited, quantizer.input(0)->name())};
  std::int64_t old_axis = 1;
  if (is_linear) {
    if (quantizer.attr<std::int64_t>("block_size").value_or(0) != 0) return nullptr;
    old_axis = quantizer.attr<std::int64_t>("axis").value_or(1);
    if (old_axis < 0) old_axis += static_cast<std::int64_t>(contents->rank());
  }
  bool is_along_axis = false;
  for (std::size_t i = 1; i < quantizer.input_count(); ++i) {
    Value* const input = quantizer.input(i);
    const std::optional<Tensor> parameter = input != nullptr ? input->constant() : std::nullopt;
    if (!parameter || parameter->size() == 1) {
      inputs.push_back(input);
      continue;
    }
    Tensor whole = *parameter;
    if (is_linear) {  // one number for each index of an axis
      if (whole.rank() != 1 || old_axis >= static_cast<std::int64_t>(contents->rank())) return nullptr;
      Dims dims(contents->rank(), 1);
      dims[static_cast<std::size_t>(old_axis)] = whole.size();
      whole = whole.reshaped(std::move(dims));
      is_along_axis = true;
    } else if (whole.rank() <= contents->rank()) {
      whole = at_rank(whole, contents->rank());
    } else {
      return nullptr;
    }
    std::optional<Tensor> changed = edit(whole, true);
    if (!changed) return nullptr;
    if (is_linear) changed = changed->reshaped({changed->size()});
    inputs.push_back(&rewriter.constant(*std::move(changed), input->name()));
  }
  Node& clone = rewriter.clone(quantizer, inputs);
  if (is_along_axis) rewriter.set_attribute(clone, {"axis", axis(old_axis)});
  return clone.output(0);
}

GRAFT_INLINE Value* permuted_constant(Value& weight, std::span<const std::int64_t> order, Rewriter& rewriter) {
  return edited_weight(
      weight, [&](const Tensor& x, bool) { return permuted(x, order); },
      [&](std::int64_t axis) { return inverse(order)[static_cast<std::size_t>(axis)]; }, rewriter);
}

}  // namespace graft::inline v1::qonnx::detail
