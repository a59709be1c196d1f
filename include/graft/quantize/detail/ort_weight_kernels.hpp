#pragma once
#include <array>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/weight_kernels.hpp>

// The kernels of ONNX Runtime on the CPU for integer weights and float activations.
namespace graft::inline v1::detail {

inline constexpr std::array ort_both{DType::u8, DType::i8};

/// Measured on 1.24: when the runtime loads a model, it fuses the chain from DynamicQuantizeLinear to the float result
/// of the product. This requires that the two scales are multiplied first.
inline constexpr std::array ort_dynamic_kernels{DynamicKernel{"MatMulInteger", ort_both},
                                                DynamicKernel{"com.microsoft::MatMulIntegerToFloat", ort_both},
                                                DynamicKernel{"com.microsoft::DynamicQuantizeMatMul", ort_both},
                                                DynamicKernel{"com.microsoft::DynamicQuantizeLSTM", ort_both},
                                                DynamicKernel{"com.microsoft::QAttention", ort_both}};

/// Measured on 1.24: the runtime turns DequantizeLinear and MatMul into MatMulNBits for int4 and uint4 only. It would
/// dequantize a weight of 8 bits in every run. MatMulNBits returns NaN for blocks of 512. Measured on 1.32: with zero
/// points of float32 it unpacks the weight in every run, which for one row takes 20 times as long as with integers at
/// level 1 and 80 times as long as at level 4; it refuses them with 8 bits. So zero points are integers.
inline constexpr std::array ort_fused_dequantize_bits{4};
inline constexpr std::array ort_nbits{2, 4, 8};
inline constexpr std::array ort_gather_bits{4, 8};
inline constexpr std::array ort_block_kernels{
    BlockKernel{"DequantizeLinear", ort_fused_dequantize_bits}, BlockKernel{"com.microsoft::MatMulNBits", ort_nbits},
    BlockKernel{"com.microsoft::GatherBlockQuantized", ort_gather_bits}};
/// Since 1.27, the runtime turns DequantizeLinear and MatMul into MatMulNBits for 8 bits too.
inline constexpr std::array ort_fused_dequantize_bits_1_27{4, 8};
inline constexpr std::array ort_block_kernels_1_27{
    BlockKernel{"DequantizeLinear", ort_fused_dequantize_bits_1_27}, ort_block_kernels[1], ort_block_kernels[2]};

/// Of GroupQueryAttention, measured on each release from 1.25 to 1.32: 1.27 is the first with the kernel, 1.28 the
/// first that adds a bias to its scores, 1.29 the first that takes queries of float16. Scales are float32 beside both.
inline constexpr std::array ort_cache_bits{4, 8};

}  // namespace graft::inline v1::detail
