#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/carried_pairs.hpp>
#include <graft/quantize/kernel/condition.hpp>
#include <graft/quantize/kernel/fault.hpp>
#include <graft/quantize/kernel/release.hpp>
#include <graft/quantize/kernel/target.hpp>

// The checks of the table that are about operators on integers, whichever tool wrote them.
namespace graft::inline v1::detail::checks {

/// The only reader of the only result.
inline const Node* sole_reader(const Node& node) {
  const Value* const y = node.output(0);
  return y != nullptr && !y->is_graph_output() && y->has_one_use() ? y->uses().front().user() : nullptr;
}

/// Of a product that takes scales of its input beside those of its weight: these, and what is added.
struct RescaledProduct {
  const Value *weight = nullptr, *scale = nullptr, *bias = nullptr;
};

/// Reads the operators of com.microsoft, or those of ONNX of which the runtime makes them.
inline RescaledProduct rescaled_product(const Node& node) {
  if (node.is("com.microsoft::DynamicQuantizeMatMul")) return {node.input(1), node.input(2), node.input(4)};
  if (node.is("com.microsoft::MatMulIntegerToFloat")) return {node.input(1), node.input(3), node.input(6)};
  if (!node.is("MatMulInteger")) return {};
  const Node* const cast = sole_reader(node);
  const Node* const mul = cast != nullptr && cast->is("Cast") ? sole_reader(*cast) : nullptr;
  if (mul == nullptr || !mul->is("Mul")) return {};
  const Value* const scales = other_operand(*mul, *cast->output(0));
  const Node* const joined = scales != nullptr ? scales->producer() : nullptr;
  const Node* const add = sole_reader(*mul);
  if (joined == nullptr || !joined->is("Mul") || add == nullptr || !add->is("Add")) return {};
  for (const Value* const scale : joined->inputs())
    if (scale != nullptr && scale->is_constant()) return {node.input(1), scale, other_operand(*add, *mul->output(0))};
  return {};
}

/// Whether the kernel rescales sums by such scales where it adds the bias.
inline bool takes_scales(const Shape& scales, const Shape& weight) {
  const std::size_t rank = scales.rank();
  if (rank == 0 || (rank == 1 && scales[0] == Dim(1))) return true;
  if (rank == 1 && weight.rank() == 2) return scales[0] == weight[1];
  if (rank != weight.rank() || rank < 2 || scales[rank - 2] != Dim(1)) return false;
  for (std::size_t i = 0; i < rank; ++i)
    if (i != rank - 2 && scales[i] != weight[i]) return false;
  return true;
}

inline Verdict dropped_bias(const KernelView& v) {
  if (!v.target.has(Fault::dropped_bias)) return Verdict::yes();
  const RescaledProduct product = rescaled_product(v.node);
  if (product.weight == nullptr || product.scale == nullptr || product.bias == nullptr) return Verdict::yes();
  const Shape weight = product.weight->shape(), scales = product.scale->shape();
  if (!weight.known() || !scales.known() || !product.bias->is_constant() || takes_scales(scales, weight))
    return Verdict::yes();
  return v.no("the runtime drops its bias: scales of rank " + std::to_string(scales.rank()) +
              " do not fit its weight of " + "rank " + std::to_string(weight.rank()));
}

/// Whether the runtime carries the quantizers of a tensor past what moves it to a place where no QuantizeLinear waits.
inline bool is_carried_on(const Value& x, const Target& target) {
  std::vector<std::pair<const Value*, bool>> left{{&x, false}};
  while (!left.empty()) {
    const auto [value, was_moved] = left.back();
    left.pop_back();
    for (const Use& use : value->uses()) {
      const Node* const reader = use.user();
      const bool passes = !use.is_graph_output() && &reader->graph() == &x.graph() &&
                          lets_quantizers_pass(*reader, target) && passing_tensor(*reader) == value;
      if (!passes && was_moved && (use.is_graph_output() || !is_quantize(*reader))) return true;
      if (!passes) continue;
      const bool vanishes = reader->is("Identity") || reader->is("Dropout") || idle_operand(*reader) != nullptr;
      left.emplace_back(reader->output(0), was_moved || !vanishes);
    }
  }
  return false;
}

inline Verdict unstated_zero_point(const KernelView& v) {
  if (!v.target.has(Fault::unstated_zero_point) || !is_dequantize(v.node) || v.node.input(0) == nullptr)
    return Verdict::yes();
  const DType dtype = quantized_dtype(v.node);
  const std::optional<Tensor> scale = constant_input(v.node, 1);
  if (v.node.input(2) != nullptr || is_unsigned_integer(dtype) || !scale || scale->size() != 1) return Verdict::yes();
  const bool is_mended = v.node.input(0)->is_constant() || v.node.opset() >= 21;
  if (is_mended && !v.target.has(Fault::unstated_zero_point_anywhere)) return Verdict::yes();
  if (!is_carried_on(*v.node.output(0), v.target)) return Verdict::yes();
  return v.no("it is " + std::string(to_string(dtype)) +
              " without a zero point: the runtime takes it for u8 further on");
}

/// What moves the result of a DequantizeLinear whose pair the runtime carries there with this fault; nullptr if nothing
/// does.
inline const Node* carries_wrongly(const Node& node, const Target& target, Fault fault) {
  for (const CarriedPair& carried : pairs_carried_wrongly(node, target))
    if (carried.fault == fault) return carried.moved->producer();
  return nullptr;
}

inline Verdict carried_int8(const KernelView& v) {
  const Node* const mover = carries_wrongly(v.node, v.target, Fault::carried_int8);
  if (mover == nullptr) return Verdict::yes();
  const Release since = std::ranges::find(v.target.faults, Fault::carried_int8, &KnownFault::fault)->since;
  return v.no("releases since " + to_string(since) + " refuse the model: they carry its i8 past '" +
              display_name(*mover) + "', and take it for u8 there");
}

inline Verdict carried_into_body(const KernelView& v) {
  const Node* const mover = carries_wrongly(v.node, v.target, Fault::carried_into_body);
  if (mover == nullptr) return Verdict::yes();
  return v.no("the runtime ends the process that loads the model: a body reads what '" + display_name(*mover) +
              "' makes of this, with no quantizer behind");
}

/// Whether it is attention with a key-value cache in integers.
inline bool has_integer_cache(const Node& node) {
  constexpr std::size_t key_scale = 12;
  return node.is("com.microsoft::GroupQueryAttention") && node.input(key_scale) != nullptr;
}

inline Verdict dropped_cache_bias(const KernelView& v) {
  constexpr std::size_t bias = 10;
  if (!v.target.has(Fault::dropped_cache_bias) || !has_integer_cache(v.node)) return Verdict::yes();
  if (v.node.input(bias) == nullptr) return Verdict::yes();
  return v.no("the runtime drops its bias, because its cache is in integers");
}

inline Verdict half_with_cache(const KernelView& v) {
  if (!v.target.has(Quirk::refuses_half_with_cache) || !has_integer_cache(v.node)) return Verdict::yes();
  if (v.node.input(0) == nullptr || v.node.input(0)->dtype() != DType::f16) return Verdict::yes();
  return v.no("the runtime has no kernel of f16 with a cache in integers");
}

}  // namespace graft::inline v1::detail::checks
