#pragma once
#include <graft/quantize/dynamic/detail/dynamic_quantizer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/copied_attributes.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/quantize/detail/import_contrib.hpp>
#include <graft/quantize/target/weight_form.hpp>

namespace graft::inline v1::detail {

/// A constant of finite float32 values with this rank.
inline std::optional<Tensor> finite_weight(const Value* value, std::size_t rank) {
  std::optional<Tensor> tensor = value != nullptr ? value->constant() : std::nullopt;
  const bool fits = tensor && tensor->dtype() == DType::f32 && tensor->rank() == rank && tensor->size() != 0;
  return fits && extent_of(tensor->data<float>()).finite ? tensor : std::nullopt;
}

/// Attention: input, weights, bias, mask_index, past, attention_bias, past_sequence_length.
/// QAttention: input, weight, bias, input_scale, weight_scale, mask_index, input_zero_point, weight_zero_point, past.
GRAFT_INLINE Verdict DynamicQuantizer::quantize_attention(Node& node) {
  if (Verdict kernel = has("com.microsoft::QAttention"); !kernel) return kernel;
  const std::optional<Tensor> weight = finite_weight(node.input(1), 2);
  if (!weight) return Verdict::no("its weight is not a constant matrix of float32");
  if (node.input(2) == nullptr) return Verdict::no("it has no bias");
  const std::int64_t heads = std::max<std::int64_t>(node.attr<std::int64_t>("num_heads").value_or(1), 1);
  if (fills_tiles(weight->dims()[1] / 3 / heads))
    return Verdict::no("the runtime miscomputes heads of this size");
  for (std::size_t i = 5; i < node.input_count(); ++i)
    if (node.input(i) != nullptr)
      return Verdict::no("QAttention has no inputs for a bias of the scores and a sequence length");
  for (const char* const name : {"qkv_hidden_sizes", "do_rotary", "past_present_share_buffer"})
    if (node.attribute(name) != nullptr) return Verdict::no("it has an attribute that QAttention lacks");
  Graph& graph = node.graph();
  import_contrib(graph);
  const WeightForm& form = options_.weights.of(node);
  const auto axis = form.granularity == Granularity::per_channel ? std::optional<std::size_t>(1) : std::nullopt;
  const int bits = form.bits_of(node, target_);
  const QuantizedConstant& codes = stored(
      {node.input(1), WeightUse::attention, false, 1, bits, form.granularity, form.clipping},
      [&] { return quantize_tensor(*weight, options_.weight_dtype, axis, bits, form.clipping); });
  const Activation& x = quantized(*node.input(0), node);
  Value* const mask = node.input_count() > 3 ? node.input(3) : nullptr;
  Value* const past = node.input_count() > 4 ? node.input(4) : nullptr;
  Value* const inputs[] = {x.data, codes.data,   node.input(2),    x.scale, codes.scale,
                           mask,   x.zero_point, codes.zero_point, past};
  Node& made = graph.insert("com.microsoft::QAttention", inputs, node.output_count(),
                            copied_attributes(node, {"num_heads", "unidirectional", "mask_filter_value", "scale"}),
                            &node, std::string(node.output(0)->name()) + "_quantized");
  std::vector<Value*> results;
  for (std::size_t i = 0; i < made.output_count(); ++i) results.push_back(made.output(i));
  replace_node(node, results);
  return Verdict::yes();
}

/// W [directions, 4 hidden, input] and R [directions, 4 hidden, hidden] have their last axes swapped.
GRAFT_INLINE Verdict DynamicQuantizer::quantize_lstm(Node& node) {
  if (Verdict kernel = has("com.microsoft::DynamicQuantizeLSTM"); !kernel) return kernel;
  const std::optional<Tensor> w = finite_weight(node.input(1), 3), r = finite_weight(node.input(2), 3);
  if (!w || !r) return Verdict::no("its weights are not constants of float32");
  if (fills_tiles(w->dims()[1])) return Verdict::no("the runtime miscomputes products with this number of columns");
  if (node.attr<std::int64_t>("layout").value_or(0) != 0)
    return Verdict::no("DynamicQuantizeLSTM has no attribute layout");
  Graph& graph = node.graph();
  import_contrib(graph);
  const WeightForm& form = options_.weights.of(node);
  const int bits = form.bits_of(node, target_);
  const auto store = [&](const Tensor& tensor, const Value& original) -> const QuantizedConstant& {
    return stored({&original, WeightUse::lstm, false, 1, bits, Granularity::per_channel, form.clipping}, [&] {
      return quantize_tensor(permuted(tensor, {0, 2, 1}), options_.weight_dtype, 0, bits, form.clipping);
    });
  };
  const QuantizedConstant &input = store(*w, *node.input(1)),
                          &recurrence = store(*r, *node.input(2));
  std::vector<Value*> inputs(node.inputs().begin(), node.inputs().end());
  inputs.resize(8);
  inputs[1] = input.data;
  inputs[2] = recurrence.data;
  inputs.insert(inputs.end(), {input.scale, input.zero_point, recurrence.scale, recurrence.zero_point});
  Node& made = graph.insert(
      "com.microsoft::DynamicQuantizeLSTM", inputs, node.output_count(),
      copied_attributes(node, {"activation_alpha", "activation_beta", "activations", "clip", "direction",
                               "hidden_size", "input_forget"}),
      &node, std::string(node.output(0)->name()) + "_quantized");
  std::vector<Value*> results;
  for (std::size_t i = 0; i < made.output_count(); ++i) results.push_back(made.output(i));
  replace_node(node, results);
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
