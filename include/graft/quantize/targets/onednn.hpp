#pragma once
// oneDNN Graph's pattern of a quantized convolution with its post-ops:
// src/graph/backend/dnnl/patterns/conv_post_ops.cpp. The bias is not dequantized there, it is added as float.
#include <array>

#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array onednn_activations{
    FusedActivation{"Abs"},       FusedActivation{"Clip"},      FusedActivation{"Elu"},
    FusedActivation{"Exp"},       FusedActivation{"Gelu"},      FusedActivation{"HardSigmoid"},
    FusedActivation{"HardSwish"}, FusedActivation{"LeakyRelu"}, FusedActivation{"Log"},
    FusedActivation{"Mish"},      FusedActivation{"Relu"},      FusedActivation{"Round"},
    FusedActivation{"Sigmoid"},   FusedActivation{"Softplus"},  FusedActivation{"Sqrt"},
    FusedActivation{"Tanh"},
};
inline constexpr std::array onednn_dtypes{KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array onednn_kernels{IntegerKernel{.op = "Conv", .dtypes = onednn_dtypes, .float_output = true}};

}  // namespace detail

namespace targets {

inline constexpr Target onednn{
    .name = "onednn",
    .activation = DType::u8,
    .bias = BiasForm::float32,
    .kernels = detail::onednn_kernels,
    .activations = detail::onednn_activations,
    .fused_in_a_row = 4,
};

}  // namespace targets
}  // namespace graft::inline v1
