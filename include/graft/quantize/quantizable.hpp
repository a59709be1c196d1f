#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

/// The entry of the target for an operator that it computes in integers; nullptr if it does not.
inline const IntegerKernel* integer_kernel(const Node& node, const Target& target) {
  for (const IntegerKernel& kernel : target.kernels) {
    const OpName name = OpName::parse(kernel.op);
    if (node.is(name.op_type, name.domain)) return &kernel;
  }
  return nullptr;
}

/// A convolution that the target computes in integers, which is what placements quantize.
inline bool is_integer_conv(const Node& node, const Target& target) {
  return node.op_type() == "Conv" && integer_kernel(node, target) != nullptr;
}

/// Whether graft quantizes an operator that the target computes in integers: its input is a float32 tensor (one of
/// unknown dtype is taken for one), its weight is constant float32, and so is its bias if the target wants it in int32;
/// or they are dequantized already.
inline Verdict quantizable(const Node& node, const Target& target) {
  const auto is_dequantized = [](const Value& value) {
    return value.producer() != nullptr && is_dequantize(*value.producer());
  };
  const Value* const x = node.input(0);
  const Value* const weight = node.input(1);
  const Value* const bias = target.bias == BiasForm::int32 ? node.input(2) : nullptr;
  if (x == nullptr || weight == nullptr) return Verdict::no("an input is missing");
  if (x->is_constant()) return Verdict::no("its input is constant");
  for (const Value* const value : {x, weight}) {
    const bool is_other = value->dtype() != DType::f32 && value->dtype() != DType::undefined;
    if (is_other && is_known(value->dtype())) return Verdict::no("it is not float32");
  }
  for (const Value* const value : {weight, bias}) {
    if (value == nullptr || value->is_constant() || is_dequantized(*value)) continue;
    if (value->initializer() != nullptr)
      return Verdict::no("its weight or bias is an input that the caller may override");
    return Verdict::no("its weight or bias is not constant");
  }
  return Verdict::yes();
}

}  // namespace graft::inline v1
