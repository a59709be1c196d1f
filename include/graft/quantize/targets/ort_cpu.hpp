#pragma once
// ONNX Runtime's CPU execution provider, as measured on 1.24: qdq_transformer/selectors_actions/qdq_selectors.cc,
// qdq_transformer/{relu,clip}_quantizelinear.cc. Other activations leave the kernel in float if they stand before Q:
// they get pairs of their own, behind an integer Conv.
#include <array>
#include <limits>
#include <string_view>

#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array ort_activations{FusedActivation{"Relu", Fuses::when_redundant},
                                            FusedActivation{"Clip", Fuses::when_redundant}};

inline constexpr std::array ort_x64_dtypes{KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::u8, DType::u8}};
inline constexpr std::array ort_arm64_dtypes{KernelDTypes{DType::i8, DType::i8}, KernelDTypes{DType::u8, DType::i8},
                                             KernelDTypes{DType::u8, DType::u8}};
inline constexpr std::array ort_x64_kernels{IntegerKernel{"Conv", ort_x64_dtypes}};
inline constexpr std::array ort_arm64_kernels{IntegerKernel{"Conv", ort_arm64_dtypes}};
inline constexpr std::array ort_signed{DType::i8};
inline constexpr std::array ort_unsigned{DType::u8};
inline constexpr std::array ort_both{DType::u8, DType::i8};
inline constexpr std::array ort_integer_operators{
    IntegerOperator{"Relu", ort_signed},        IntegerOperator{"Clip", ort_both},
    IntegerOperator{"Transpose", up_to_16}, IntegerOperator{"Reshape", up_to_16},
    IntegerOperator{"Flatten", up_to_16},   IntegerOperator{"Squeeze", up_to_16},
    IntegerOperator{"Unsqueeze", up_to_16}, IntegerOperator{"Slice", up_to_16},
    IntegerOperator{"Gather", up_to_16},    IntegerOperator{"Expand", up_to_16},
    IntegerOperator{"Tile", up_to_16},      IntegerOperator{"Identity", up_to_16},
    IntegerOperator{"DepthToSpace", ort_unsigned}};
inline constexpr std::array<std::string_view, 8> ort_quantizers_pass{"Identity", "MaxPool", "Transpose", "Reshape",
                                                                     "Slice",    "Expand",  "Squeeze",   "Unsqueeze"};

}  // namespace detail

namespace targets {

inline constexpr Target ort_cpu_x64{
    .name = "ort-cpu-x64",
    .activation = DType::u8,
    .kernels = detail::ort_x64_kernels,
    .activations = detail::ort_activations,
    .integer_operators = detail::ort_integer_operators,
    .quantizers_pass = detail::ort_quantizers_pass,
    .redundancy_slack = std::numeric_limits<float>::epsilon(),
    .refuses_half_step_beyond = true,
    .int8_becomes_uint8 = true,
    .quantizes_constants = true,
};

inline constexpr Target ort_cpu_arm64{
    .name = "ort-cpu-arm64",
    .activation = DType::i8,
    .kernels = detail::ort_arm64_kernels,
    .activations = detail::ort_activations,
    .integer_operators = detail::ort_integer_operators,
    .quantizers_pass = detail::ort_quantizers_pass,
    .redundancy_slack = std::numeric_limits<float>::epsilon(),
    .refuses_half_step_beyond = true,
    .quantizes_constants = true,
};

}  // namespace targets
}  // namespace graft::inline v1
