#pragma once
#include <graft/qdq/qdq.hpp>

#include <cmath>

#include <graft/config.hpp>
#include <graft/qdq/has_result.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool is_quantize(const Node& node) {
  return detail::has_result(node) && (node.is("QuantizeLinear") || node.is("com.microsoft::QuantizeLinear"));
}

GRAFT_INLINE bool is_dequantize(const Node& node) {
  return detail::has_result(node) && (node.is("DequantizeLinear") || node.is("com.microsoft::DequantizeLinear"));
}

GRAFT_INLINE DType quantized_dtype(const Node& quantizer) {
  if (quantizer.input(2) != nullptr && quantizer.input(2)->dtype() != DType::undefined)
    return quantizer.input(2)->dtype();
  if (is_quantize(quantizer)) {
    const std::int64_t dtype = quantizer.attr<std::int64_t>("output_dtype").value_or(0);
    return dtype != 0 ? static_cast<DType>(dtype) : DType::u8;
  }
  const Value* const quantized = quantizer.input(0);
  if (quantized == nullptr || quantized->dtype() != DType::undefined)
    return quantized ? quantized->dtype() : DType::undefined;
  return quantized->producer() != nullptr && is_quantize(*quantized->producer())
             ? quantized_dtype(*quantized->producer())
             : DType::undefined;
}

GRAFT_INLINE std::optional<QParams> qparams_of(const Node& quantizer) {
  const std::optional<Tensor> scale = detail::constant_input(quantizer, 1),
                              zero_point = detail::constant_input(quantizer, 2);
  if (!scale || scale->dtype() != DType::f32 || scale->size() != 1) return std::nullopt;
  if (quantizer.input(2) != nullptr && (!zero_point || zero_point->size() != 1)) return std::nullopt;
  QParams q{scale->item<float>(), 0, quantized_dtype(quantizer)};
  const bool is_taken = q.is_float8() || (is_integer(q.dtype) && bits(q.dtype) <= 16);
  if (!is_taken || !(q.scale > 0) || !std::isfinite(q.scale)) return std::nullopt;
  if (zero_point) q.zero_point = zero_point->item<std::int32_t>();
  return q;
}

namespace detail {

/// Whether the node bounds integers by constants.
inline bool is_integer_clip(const Node& node) {
  const auto is_constant = [&](std::size_t i) { return node.input(i) == nullptr || node.input(i)->is_constant(); };
  return node.is("Clip") && has_result(node) && node.input(0) != nullptr && is_integer(node.input(0)->dtype()) &&
         is_constant(1) && is_constant(2);
}

GRAFT_INLINE Value& insert_integer_clip(Value& quantized, int bits, Node* before, const std::string& hint) {
  Graph& graph = quantized.graph();
  const DType dtype = quantized.dtype();
  const std::int32_t lowest = is_unsigned_integer(dtype) ? 0 : -(1 << (bits - 1));
  const auto bound = [&](std::int32_t value, const char* name) {
    return &graph.add_initializer(Tensor::of<std::int32_t>(dtype, {}, {value}), hint + name);
  };
  Value *const least = bound(lowest, "_lowest"), *const most = bound(lowest + (1 << bits) - 1, "_highest");
  Value& clipped = *graph.insert("Clip", {&quantized, least, most}, 1, {}, before, hint + "_clipped").output(0);
  graph.set_type(clipped, *quantized.type());
  return clipped;
}

}  // namespace detail

GRAFT_INLINE Node* paired_quantize(const Node& dequantize) {
  Node* quantize = dequantize.input(0) != nullptr ? dequantize.input(0)->producer() : nullptr;
  if (quantize != nullptr && detail::is_integer_clip(*quantize)) quantize = quantize->input(0)->producer();
  if (quantize == nullptr || !is_quantize(*quantize)) return nullptr;
  const std::optional<QParams> q = qparams_of(*quantize), dq = qparams_of(dequantize);
  return q && dq && *q == *dq ? quantize : nullptr;
}

GRAFT_INLINE Value* dequantized(const Value& value) {
  const auto behind = [](const Value& integers, const Node& quantize) -> Value* {
    for (const Use& use : integers.uses())
      if (!use.is_graph_output() && is_dequantize(*use.user()) && paired_quantize(*use.user()) == &quantize)
        return use.user()->output(0);
    return nullptr;
  };
  for (const Use& use : value.uses()) {
    if (use.is_graph_output() || !is_quantize(*use.user())) continue;
    const Value& quantized = *use.user()->output(0);
    if (Value* const found = behind(quantized, *use.user())) return found;
    for (const Use& next : quantized.uses()) {
      if (next.is_graph_output() || next.index() != 0 || !detail::is_integer_clip(*next.user())) continue;
      if (Value* const found = behind(*next.user()->output(0), *use.user())) return found;
    }
  }
  return nullptr;
}

GRAFT_INLINE Value& insert_qdq(Value& value, const QParams& q, bool outputs_too) {
  return detail::insert_pair(value, q, [=](const Use& use) { return outputs_too || !detail::is_own_output(use); });
}

}  // namespace graft::inline v1
