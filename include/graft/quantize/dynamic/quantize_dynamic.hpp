#pragma once
#include <cstdint>
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(x, w)
// After:   q, s, z = DynamicQuantizeLinear(x);  Mul(Cast(MatMulInteger(q, integers, z, 0)), Mul(s, scales))
//
// w is a constant float32 tensor of rank 2 or more. Likewise Gemm, of which alpha goes into the scales of integers, and
// the bias times beta is added behind. The two scales are multiplied first: ONNX Runtime then makes one operator of it
// all, with the Add of a constant row behind it.

namespace graft::inline v1 {

/// In which operators a product is written whose activations are quantized as it runs.
enum class DynamicForm : std::uint8_t {
  standard,  ///< those of ONNX, for the runtime to fuse
  contrib,   ///< com.microsoft's DynamicQuantizeMatMul, or MatMulIntegerToFloat where several read what is quantized
};

struct DynamicOptions {
  /// Granularity, bits and clipping of weights; by default in as many bits as the target takes without sums saturating.
  WeightForms weights = Granularity::per_channel;
  DType weight_dtype = DType::i8;  ///< symmetric int8, or uint8 around 128
  DynamicForm form = DynamicForm::standard;
  /// Of the tables that Gather reads, those that quantize_embeddings() makes integers of; nullopt: none.
  std::optional<EmbeddingOptions> tables = EmbeddingOptions();
  /// Where the target has the kernel, LSTM becomes com.microsoft's DynamicQuantizeLSTM, with a scale for each
  /// direction. Not where the facts have ProductForms.
  bool lstm = true;
  /// com.microsoft's Attention becomes its QAttention.
  bool attention = false;
};

/// The pass that makes integers of the constant weights of every MatMul and Gemm, in graph and bodies, and quantizes
/// what these multiply as the model runs, to uint8 with a scale and a zero point for the whole tensor: no calibration
/// is needed. Where the facts have ProductForms, it quantizes the dynamic ones and no other product. A tensor that
/// several read is quantized once; weights that several share are stored once. It leaves what exclude_nodes() names,
/// and what the target has no dynamic kernel for; notes say why, by node. Throws Error if weight_dtype is neither i8
/// nor u8.
Pass quantize_dynamic(const Target& target, DynamicOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/dynamic/quantize_dynamic.ipp>
#endif
