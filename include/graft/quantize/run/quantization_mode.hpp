#pragma once
#include <variant>

#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>

namespace graft::inline v1 {

/// Static quantization, with those products dynamic or weight-only that are better so. Products are MatMul and Gemm by
/// constants, on a target that has kernels for these forms. Those are tried first that take less time so by the
/// target's costs, with weights of 8 bits or, where that loses nothing, 4. Where outputs are not near to float, those
/// follow whose inputs are rounded much less, and then all products.
///
/// A form is kept where outputs on held-out samples are nearer to float and the model is not expected to be slower, or
/// the other way round; where static quantization is poor, Fidelity::is_poor(), if they are nearer. Products stay
/// static where several ways are not compared, with one observer, with another placement or format than the usual, or
/// where options set ranges or dtypes of tensors. With a goal products that cost most become dynamic, or else
/// weight-only, before they are left in float.
///
/// Or dynamic quantization and nothing else, for a model whose products are MatMul and Gemm alone, where that comes
/// nearer to float; where static quantization is poor, also for one that has convolutions, but does more in MatMul and
/// Gemm. That is not tried with a goal either.
struct AutomaticQuantization {};

/// Weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticQuantization {};

/// How quantize() quantizes. DynamicOptions: weights beforehand, and activations as the model runs, by
/// quantize_dynamic(). BlockwiseOptions: weights alone, by quantize_weights_blockwise().
using QuantizationMode = std::variant<AutomaticQuantization, StaticQuantization, DynamicOptions, BlockwiseOptions>;

/// Whether scales of activations are found on samples, or known.
inline bool calibrates(const QuantizationMode& mode) {
  return std::holds_alternative<AutomaticQuantization>(mode) || std::holds_alternative<StaticQuantization>(mode);
}

}  // namespace graft::inline v1
