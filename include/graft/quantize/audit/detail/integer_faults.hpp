#pragma once
#include <algorithm>
#include <array>
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
#include <graft/quantize/audit/finding.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/target/carried_pairs.hpp>
#include <graft/quantize/target/fault.hpp>
#include <graft/quantize/target/release.hpp>
#include <graft/quantize/target/target.hpp>

// What a runtime computes wrong of operators on integers, whichever tool wrote them.
namespace graft::inline v1::detail {

namespace audits {

inline constexpr std::string_view full_tiles =
    "widen the weight by zeros to a multiple of 32 columns, and cut them off";

inline std::string partial_tiles_text(const Node& node) {
  return "the runtime miscomputes products of " + std::to_string(product_columns(node).value_or(0)) +
         " columns on this processor";
}

/// The only reader of the only result.
inline const Node* sole_reader(const Node& node) {
  const Value* const y = node.output(0);
  return y != nullptr && !y->is_graph_output() && y->has_one_use() ? y->uses().front().user() : nullptr;
}

/// The other operand of two.
inline const Value* beside(const Node& node, const Value& operand) {
  return node.input(node.input(0) == &operand ? 1 : 0);
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
  const Value* const scales = beside(*mul, *cast->output(0));
  const Node* const joined = scales != nullptr ? scales->producer() : nullptr;
  const Node* const add = sole_reader(*mul);
  if (joined == nullptr || !joined->is("Mul") || add == nullptr || !add->is("Add")) return {};
  for (const Value* const scale : joined->inputs())
    if (scale != nullptr && scale->is_constant()) return {node.input(1), scale, beside(*add, *mul->output(0))};
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

inline std::optional<std::string> dropped_bias(const Node& node, const Target& target) {
  if (!target.has(Fault::dropped_bias)) return std::nullopt;
  const RescaledProduct product = rescaled_product(node);
  if (product.weight == nullptr || product.scale == nullptr || product.bias == nullptr) return std::nullopt;
  const Shape weight = product.weight->shape(), scales = product.scale->shape();
  if (!weight.known() || !scales.known() || !product.bias->is_constant() || takes_scales(scales, weight))
    return std::nullopt;
  return "the runtime drops its bias: scales of rank " + std::to_string(scales.rank()) + " do not fit its weight of " +
         "rank " + std::to_string(weight.rank());
}

inline std::optional<std::string> partial_tiles_on_integers(const Node& node, const Target& target) {
  return has_partial_tiles(node, target) ? std::optional(partial_tiles_text(node)) : std::nullopt;
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

inline std::optional<std::string> unstated_zero_point(const Node& node, const Target& target) {
  if (!target.has(Fault::unstated_zero_point) || !is_dequantize(node) || node.input(0) == nullptr) return std::nullopt;
  const DType dtype = quantized_dtype(node);
  const std::optional<Tensor> scale = constant_input(node, 1);
  if (node.input(2) != nullptr || is_unsigned_integer(dtype) || !scale || scale->size() != 1) return std::nullopt;
  const bool is_mended = node.input(0)->is_constant() || node.opset() >= 21;
  if (is_mended && !target.has(Fault::unstated_zero_point_anywhere)) return std::nullopt;
  if (!is_carried_on(*node.output(0), target)) return std::nullopt;
  return "it is " + std::string(to_string(dtype)) + " without a zero point: the runtime takes it for u8 further on";
}

/// What moves the result of a DequantizeLinear whose pair the runtime carries there with this fault; nullptr if nothing
/// does.
inline const Node* carries_wrongly(const Node& node, const Target& target, Fault fault) {
  for (const CarriedPair& carried : pairs_carried_wrongly(node, target))
    if (carried.fault == fault) return carried.moved->producer();
  return nullptr;
}

inline std::optional<std::string> carried_int8(const Node& node, const Target& target) {
  const Node* const mover = carries_wrongly(node, target, Fault::carried_int8);
  if (mover == nullptr) return std::nullopt;
  const Release since = std::ranges::find(target.faults, Fault::carried_int8, &KnownFault::fault)->since;
  return "releases since " + to_string(since) + " refuse the model: they carry its i8 past '" + display_name(*mover) +
         "', and take it for u8 there";
}

inline std::optional<std::string> carried_into_body(const Node& node, const Target& target) {
  const Node* const mover = carries_wrongly(node, target, Fault::carried_into_body);
  if (mover == nullptr) return std::nullopt;
  return "the runtime ends the process that loads the model: a body reads what '" + display_name(*mover) +
         "' makes of this, with no quantizer behind";
}

}  // namespace audits

/// A row of the table of such faults.
struct IntegerFault {
  std::string_view code;
  std::optional<std::string> (*check)(const Node&, const Target&);
  std::string_view mend;
};

inline constexpr std::array integer_faults{
    IntegerFault{"dropped_bias", audits::dropped_bias,
                 "make the weight a matrix, or give its scale the weight's shape with an extent of 1 for the rows"},
    IntegerFault{"partial_tiles", audits::partial_tiles_on_integers, audits::full_tiles},
    IntegerFault{"unstated_zero_point", audits::unstated_zero_point, "state the zero point, 0"},
    IntegerFault{"carried_int8", audits::carried_int8,
                 "quantize what it is moved to, with its scale and zero point; or use u8"},
    IntegerFault{"carried_into_body", audits::carried_into_body,
                 "quantize what it is moved to, with its scale and zero point"}};

/// The first fault of the runtime that a node runs into which the target has no entry for.
inline std::optional<Finding> fault_on_integers(const Node& node, const Target& target) {
  for (const IntegerFault& row : integer_faults)
    if (std::optional<std::string> text = row.check(node, target))
      return Finding{display_name(node), std::string(node.op_type()), true, Severity::error, row.code,
                     *std::move(text), row.mend};
  return std::nullopt;
}

}  // namespace graft::inline v1::detail
