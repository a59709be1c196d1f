#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(x, w)
// After:   q, s, z = DynamicQuantizeLinear(x);  Mul(Cast(MatMulInteger(q, integers, z, 0)), Mul(s, scales))
//
// w is a constant float32 tensor of rank 2 or more. Likewise Gemm, whose alpha goes into the scales of the integers,
// and whose bias times beta is added behind. The two scales are multiplied first: ONNX Runtime then fuses all nodes,
// and an Add of a constant row behind them, into one operator.

namespace graft::inline v1 {

/// The operators of a product whose activations are quantized during the run.
enum class DynamicForm : std::uint8_t {
  standard,  ///< operators of ONNX, for the runtime to fuse
  contrib,   ///< com.microsoft's DynamicQuantizeMatMul, or MatMulIntegerToFloat if the quantized tensor has several
             ///< readers
};

struct DynamicOptions {
  /// Granularity, bits and clipping of weights; by default the most bits with which the target's sums do not saturate.
  WeightForms weights = Granularity::per_channel;
  DType weight_dtype = DType::i8;  ///< symmetric int8, or uint8 around 128
  DynamicForm form = DynamicForm::standard;
  /// The form of tables that Gather reads, which quantize_embeddings() makes integers; nullopt: tables stay in float.
  std::optional<EmbeddingOptions> tables = EmbeddingOptions();
  /// If the target has the kernel, LSTM becomes com.microsoft's DynamicQuantizeLSTM, with one scale for each direction.
  /// Not if the facts have ProductForms.
  bool lstm = true;
  /// com.microsoft's Attention becomes its QAttention.
  bool attention = false;
};

/// The pass that makes integers of the constant weights of every MatMul and Gemm, in graph and bodies. It quantizes
/// their activations during the run, to uint8 with one scale and zero point for the whole tensor. It needs no
/// calibration. If the facts have ProductForms, it quantizes the dynamic products and no others. A tensor with several
/// readers is quantized once; a shared weight is stored once. It skips nodes that exclude_nodes() names, and nodes for
/// which the target has no dynamic kernel; notes give the reason by node. Throws Error if weight_dtype is neither i8
/// nor u8.
Pass quantize_dynamic(const Target& target, DynamicOptions options = {});

}  // namespace graft::inline v1
