#pragma once
#include <graft/quantize/target/quantizable.hpp>

#include <algorithm>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/detail/lacked_attributes.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/target/channels.hpp>
#include <graft/quantize/target/integer_form.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const IntegerKernel* integer_kernel(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
  return kernel != nullptr && kernel->serves(node.opset()) ? kernel : nullptr;
}

GRAFT_INLINE const IntegerKernel* kernel_of_any_opset(const Node& node, const Target& target) {
  if (!detail::has_result(node)) return nullptr;
  for (const IntegerKernel& kernel : target.kernels)
    if (node.is(kernel.op)) return &kernel;
  return nullptr;
}

namespace detail {

GRAFT_INLINE bool is_dequantized(const Value& value) {
  return value.producer() != nullptr && is_dequantize(*value.producer());
}

/// A tensor of unknown dtype is taken for float32.
inline bool is_known_other(const Value& value) {
  return value.dtype() != DType::f32 && value.dtype() != DType::undefined && is_known(value.dtype());
}

/// What gemm_bias makes of any that it can.
inline Verdict is_plain_gemm(const Node& node, const IntegerKernel& kernel) {
  const float alpha = product_factor(node);
  if (alpha != 1 && !kernel.takes_factor(node.input(2) != nullptr)) return Verdict::no("its alpha is not 1");
  if (!(alpha > 0)) return Verdict::no("its alpha is not positive");
  if (node.input(2) == nullptr) return Verdict::yes();
  if (node.attr<float>("beta").value_or(1) != 1) return Verdict::no("its beta is not 1");
  const Shape weight = node.input(1)->shape(), bias = node.input(2)->shape();
  const std::optional<std::size_t> axis = channel_axis(node, weight.rank());
  const bool differs = axis && bias.rank() == 1 && bias[0].known() && weight[*axis].known() && bias[0] != weight[*axis];
  if (bias.rank() != 1 || differs) return Verdict::no("its bias has no value for each channel");
  return Verdict::yes();
}

/// Whether it is what makes floats of the integers of an operator that quantizes as it runs: a product with the scale
/// that DynamicQuantizeLinear found, or of the cast sums. Runtimes fuse these with the operator.
inline bool rescales_integers(const Node& node) {
  if (!node.is("Mul")) return false;
  for (const Value* const operand : node.inputs()) {
    if (operand == nullptr) continue;
    const Node* const cast = made_by(*operand, "Cast");
    const Node* const producer = (cast != nullptr ? *cast->input(0) : *operand).producer();
    if (producer != nullptr && is_integer_form(*producer)) return true;
  }
  return false;
}

/// Whether a kernel can take what was dequantized already. Its q-params go on behind what moves values, and must be
/// known there.
inline Verdict takes_quantized(const Value& operand, const IntegerKernel& kernel) {
  if (!is_dequantized(operand)) return Verdict::yes();
  const std::optional<Tensor> scale = constant_input(*operand.producer(), 1);
  if (scale && scale->size() != 1) return Verdict::no("an input of it has several scales");
  const bool takes_no_list = kernel.has(KernelQuirk::refuses_lists) || kernel.has(KernelQuirk::lists_in_float);
  if (scale && scale->rank() != 0 && takes_no_list)
    return Verdict::no("the scale of an input is no scalar");
  if (kernel.form != KernelForm::same_qparams) return Verdict::yes();
  const std::optional<QParams> q = qparams_of(*operand.producer());
  return q && kernel.takes(q->dtype) ? Verdict::yes()
                                     : Verdict::no("what it reads is not quantized as its kernel takes it");
}

/// Whether a tensor has the zero point 0 when it is quantized to the dtype of the target, or has it now.
inline bool has_zero_point_zero(const Value& x, const Target& target) {
  if (x.producer() == nullptr) return false;
  if (is_dequantize(*x.producer())) {
    const std::optional<QParams> q = qparams_of(*x.producer());
    return q && q->zero_point == 0;
  }
  return is_unsigned_integer(target.activation) && (x.producer()->is("Relu") || x.producer()->is("Sigmoid"));
}

/// The operands are float32, or dequantized; constant are weight and bias, except for the second factor of a MatMul.
inline Verdict quantizable_weighted(const Node& node, const IntegerKernel& kernel, const Target& target) {
  const Value* const x = node.input(0);
  const Value* const weight = node.input(1);
  const Value* const bias = target.bias == BiasForm::int32 ? node.input(2) : nullptr;
  if (x == nullptr || weight == nullptr) return Verdict::no("an input is missing");
  if (x->is_constant()) return Verdict::no("its input is constant");
  if (is_known_other(*x) || is_known_other(*weight)) return Verdict::no("it is not float32");
  if (const Verdict verdict = takes_quantized(*x, kernel); !verdict) return verdict;
  if (lacked_attributes(node, kernel) != nullptr) return Verdict::no("it has an attribute that the target lacks");
  if (kernel.has(KernelQuirk::zero_point_zero) && !has_zero_point_zero(*x, target))
    return Verdict::no("the zero point of its input would not be 0");
  for (const Value* const value : {weight, bias}) {
    if (value == nullptr || value->is_constant() || is_dequantized(*value)) continue;
    if (value->initializer() != nullptr)
      return Verdict::no("its weight or bias is an input that the caller may override");
    if (!node.is("MatMul") || kernel.has(KernelQuirk::constant_weight))
      return Verdict::no("its weight or bias is not constant");
  }
  if (lacks_full_tiles(node, target)) return Verdict::no("the runtime miscomputes products of so many columns");
  return node.is("Gemm") ? is_plain_gemm(node, kernel) : Verdict::yes();
}

GRAFT_INLINE std::size_t operand_end(const Node& node, const IntegerKernel& kernel) {
  const std::size_t count = node.input_count() - std::min(node.input_count(), kernel.first_operand);
  return kernel.first_operand + std::min(count, kernel.operands);
}

/// The operands are float32, not all constant, and finite where they are; all results are alike.
inline Verdict quantizable_operands(const Node& node, const IntegerKernel& kernel, const Target& target) {
  if (kernel.form == KernelForm::one_qparams) return Verdict::no("its operands would have to share q-params");
  if (const LackedAttributes* const lacked = lacked_attributes(node, kernel)) {
    return lacked->then == Lacking::rounded_down ? Verdict::no("its integer kernel rounds down")
                                                 : Verdict::no("it has an attribute that the target lacks");
  }
  if (kernel.form == KernelForm::same_qparams && !kernel.takes(dtype_seen(target)))
    return Verdict::no("there is no integer kernel for the dtype");
  if (rescales_integers(node)) return Verdict::no("it rescales what was computed on integers");
  bool varies = false;
  for (std::size_t i = kernel.first_operand; i < operand_end(node, kernel); ++i) {
    const Value* const operand = node.input(i);
    if (operand == nullptr) return Verdict::no("an input is missing");
    if (is_known_other(*operand)) return Verdict::no("it is not float32");
    if (const Verdict verdict = takes_quantized(*operand, kernel); !verdict) return verdict;
    if (operand->initializer() != nullptr && !operand->is_constant())
      return Verdict::no("an input of it is one that the caller may override");
    if (operand->is_constant() && kernel.has(KernelQuirk::merges_constants))
      return Verdict::no("the runtime merges its constant into the operator in front of it");
    varies = varies || !operand->is_constant();
    const std::optional<Tensor> constant = operand->constant();
    if (constant && constant->dtype() == DType::f32 && !extent_of(constant->data<float>()).finite)
      return Verdict::no("an input of it is not finite");
  }
  if (kernel.form != KernelForm::weighted && node.output_count() > 1 && !node.is("Split"))
    return Verdict::no("its output is indices, not values");
  return varies ? Verdict::yes() : Verdict::no("its inputs are constant");
}

}  // namespace detail

GRAFT_INLINE Verdict quantizable(const Node& node, const Target& target) {
  if (!detail::has_result(node)) return Verdict::no("it has no result");
  const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
  if (kernel == nullptr) return Verdict::no("the target does not compute it in integers");
  if (!kernel->serves(node.opset())) return Verdict::no("the target has no such version");
  return kernel->form == KernelForm::weighted ? detail::quantizable_weighted(node, *kernel, target)
                                              : detail::quantizable_operands(node, *kernel, target);
}

GRAFT_INLINE bool is_quantized_product(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = integer_kernel(node, target);
  if (kernel == nullptr || kernel->form != KernelForm::weighted) return false;
  return node.op_type() == "Conv" || (node.input(0) != nullptr && detail::is_dequantized(*node.input(0)));
}

}  // namespace graft::inline v1
