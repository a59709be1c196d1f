#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/kernel_limits.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

/// The operand of a node that adds 0 or multiplies by 1 and the like, by a constant of one element that does not
/// broadcast it. ONNX Runtime removes such nodes (core/optimizer/noop_elimination.cc). nullptr for other nodes.
inline const Value* idle_operand(const Node& node) {
  const bool adds = node.is("Add") || node.is("Sub"), multiplies = node.is("Mul") || node.is("Div");
  if ((!adds && !multiplies) || node.output_count() != 1 || node.output(0)->is_graph_output()) return nullptr;
  const Value *x = node.input(0), *constant = node.input(1);
  if (x == nullptr || constant == nullptr || x->is_constant() == constant->is_constant()) return nullptr;
  if (x->is_constant()) std::swap(x, constant);
  if (constant == node.input(0) && (node.is("Sub") || node.is("Div"))) return nullptr;
  const Shape shape = x->shape();
  const std::optional<Tensor> tensor = constant->constant();
  if (!shape.known() || !tensor || tensor->size() != 1 || tensor->rank() > shape.rank()) return nullptr;
  return tensor->dtype() == DType::f32 && tensor->item<float>() == (adds ? 0.0f : 1.0f) ? x : nullptr;
}

/// Whether the runtime moves quantizers to the other side of a node that moves one tensor, or removes the node.
inline bool lets_quantizers_pass(const Node& node, const Target& target) {
  if (!target.has(Quirk::does_not_simplify) && idle_operand(node) != nullptr) return true;
  const bool is_idle_dropout = node.is("Dropout") && node.input(2) == nullptr && node.output_count() == 2 &&
                               node.output(1)->use_count() == 0;  // even if the mask has a name
  if (!node.domain().empty() || (node.output_count() != 1 && !is_idle_dropout)) return false;
  const auto& ops = target.quantizers_pass;
  return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end();
}

/// The tensor that such a node moves.
inline const Value* passing_tensor(const Node& node) {
  const Value* const idle = idle_operand(node);
  return idle != nullptr ? idle : node.input(0);
}

/// Whether the runtime moves the DequantizeLinear in front of a node that moves or joins tensors behind it.
inline bool lets_dequantizers_pass(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = integer_kernel(node, target);
  return kernel != nullptr && kernel->has(KernelQuirk::passes_dequantizers) &&
         lacked_attributes(node, *kernel) == nullptr;
}

/// The tensors of a node whose DequantizeLinear the runtime moves behind it: the one that it moves, or those that it
/// joins; empty if it does not move them.
inline std::vector<const Value*> dequantized_parts(const Node& node, const Target& target) {
  if (lets_quantizers_pass(node, target)) return {passing_tensor(node)};
  if (!lets_dequantizers_pass(node, target)) return {};
  const IntegerKernel& kernel = *integer_kernel(node, target);
  std::vector<const Value*> parts;
  for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i) parts.push_back(node.input(i));
  return parts;
}

/// The source of a dequantized operand, in front of nodes that quantizers pass.
struct OperandSource {
  const Node* dequantize = nullptr;  ///< that of the first part; nullptr if any part is not dequantized
  bool has_joined_qparams = false;   ///< a part has other q-params
};

/// The sources of operands. Each value is visited once over all calls, as long as the graph does not change.
class OperandSources {
 public:
  explicit OperandSources(const Target& target) : target_(target) {}

  OperandSource of(const Value* operand) {
    if (operand == nullptr) return {};
    std::vector<const Value*> left{operand};
    while (!left.empty()) {
      const Value& value = *left.back();
      const std::size_t before = left.size();
      if (!known_.contains(&value)) {
        const Node* const producer = value.producer();
        const bool is_made_here = producer != nullptr && !is_dequantize(*producer);
        const std::vector<const Value*> parts =
            is_made_here ? dequantized_parts(*producer, target_) : std::vector<const Value*>();
        for (const Value* const part : parts)
          if (part != nullptr && !known_.contains(part)) left.push_back(part);
        if (left.size() != before) continue;
        known_[&value] = producer != nullptr && !is_made_here ? OperandSource{producer} : joined(parts);
      }
      left.pop_back();
    }
    return known_.at(operand);
  }

 private:
  OperandSource joined(const std::vector<const Value*>& parts) const {
    OperandSource result;
    for (const Value* const part : parts) {
      const OperandSource source = part != nullptr ? known_.at(part) : OperandSource();
      if (source.dequantize == nullptr) return {};
      if (result.dequantize == nullptr) result.dequantize = source.dequantize;
      result.has_joined_qparams = result.has_joined_qparams || source.has_joined_qparams ||
                                  qparams_of(*source.dequantize) != qparams_of(*result.dequantize);
    }
    return result;
  }

  const Target& target_;
  std::unordered_map<const Value*, OperandSource> known_;
};

/// The DequantizeLinear of a single operand; nullptr if there is none.
inline const Node* dequantize_of(const Value* value, const Target& target) {
  return OperandSources(target).of(value).dequantize;
}

/// Whether the runtime computes a reader when it loads the model: the Shape of a value of known dims.
inline bool is_folded(const Use& use, const Target& target) {
  if (target.has(Quirk::does_not_simplify) || use.is_graph_output() || !use.user()->is("Shape")) return false;
  const Shape shape = use.value()->shape();
  for (std::size_t i = 0; i < shape.rank(); ++i)
    if (!shape[i].known()) return false;
  return shape.known();
}

/// Whether the runtime merges two QuantizeLinear of one tensor. It shares equal scales, but not equal zero points.
inline bool same_quantizer(const Node& a, const Node& b) {
  const std::optional<QParams> q = qparams_of(a);
  return is_quantize(a) && is_quantize(b) && q && q == qparams_of(b) && a.input(2) == b.input(2) && a.op() == b.op();
}

/// Whether a quantizer and its counterpart have no other neighbours, so that the runtime may change the pair from int8
/// to uint8.
inline bool is_sole_pair(const Node& quantize, const Node& dequantize, const Target& target) {
  const auto sole = [&](const Node& node) {
    const auto& uses = node.output(0)->uses();
    return std::count_if(uses.begin(), uses.end(), [&](const Use& use) { return !is_folded(use, target); }) == 1;
  };
  if (!sole(quantize) || !sole(dequantize) || dequantize.input(0) != quantize.output(0)) return false;
  for (const Use& use : quantize.input(0)->uses())
    if (use.user() != nullptr && use.user() != &quantize && same_quantizer(*use.user(), quantize)) return false;
  const std::optional<Tensor> q = constant_input(quantize, 2), dq = constant_input(dequantize, 2);
  return q && dq && q->size() == 1 && q->same_bytes(*dq);
}

/// The input dtype of a DequantizeLinear when the runtime chooses kernels.
inline DType dtype_behind(const Node& dequantize, const Target& target) {
  const DType dtype = quantized_dtype(dequantize);
  const Node* const quantize = dequantize.input(0) != nullptr ? dequantize.input(0)->producer() : nullptr;
  const bool changes =
      target.has(Quirk::converts_int8_to_uint8) && dtype == DType::i8 && quantize != nullptr && is_quantize(*quantize);
  return changes && is_sole_pair(*quantize, dequantize, target) ? DType::u8 : dtype;
}

/// The output dtype of a QuantizeLinear when the runtime chooses kernels.
inline DType dtype_before(const Node& quantize, const Target& target) {
  const DType dtype = quantized_dtype(quantize);
  if (!target.has(Quirk::converts_int8_to_uint8) || dtype != DType::i8 || quantize.output(0)->use_count() != 1)
    return dtype;
  const Node* const user = quantize.output(0)->uses().front().user();
  return user != nullptr && is_dequantize(*user) && is_sole_pair(quantize, *user, target) ? DType::u8 : dtype;
}

/// Whether the runtime takes q-params that may be computed.
inline bool takes_qparams(const Node& quantizer, const Target& target) {
  return !target.has(Quirk::constant_qparams_only) ||
         (constant_input(quantizer, 1) && (quantizer.input(2) == nullptr || constant_input(quantizer, 2)));
}

/// What becomes uint8 has its zero point moved along. Both q-params must be given.
inline std::optional<QParams> qparams_seen(const Node& quantizer, DType dtype) {
  std::optional<QParams> q = qparams_of(quantizer);
  if (!q || quantizer.input(2) == nullptr) return std::nullopt;
  if (q->dtype == DType::i8 && dtype == DType::u8) q = QParams{q->scale, q->zero_point + 128, DType::u8};
  return q;
}

}  // namespace graft::inline v1::detail
