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
inline constexpr std::array ort_8_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}};
inline constexpr std::array ort_up_to_16_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}, KernelDTypes{DType::u16},
                                             KernelDTypes{DType::i16}};

constexpr IntegerKernel ort_one_dtype(std::string_view op, std::size_t operands = 1, std::size_t first = 0) {
  return {.op = op, .dtypes = ort_8_bit, .form = KernelForm::one_dtype, .first_operand = first, .operands = operands};
}
constexpr IntegerKernel ort_movement(std::string_view op, std::span<const KernelDTypes> dtypes = ort_up_to_16_bit) {
  return {.op = op, .dtypes = dtypes, .form = KernelForm::same_qparams};
}
/// Of those whose types the runtime infers.
constexpr IntegerKernel ort_checked(std::string_view op, std::size_t operands = 1) {
  IntegerKernel kernel = ort_one_dtype(op, operands);
  kernel.refuses_lists = true;
  return kernel;
}
constexpr IntegerKernel ort_average_pool() {
  IntegerKernel kernel = ort_checked("AveragePool");
  kernel.refused_attribute = "dilations";
  return kernel;
}
constexpr IntegerKernel ort_max_pool() {
  IntegerKernel kernel = ort_movement("MaxPool", ort_8_bit);
  kernel.since = 12;
  kernel.until = 21;
  return kernel;
}

/// Those of 8 bits where the dtypes of activations and weights are these.
constexpr auto ort_kernels(std::span<const KernelDTypes> weighted) {
  return std::array{
      IntegerKernel{.op = "Conv", .dtypes = weighted, .quantizes_constants = true},
      IntegerKernel{.op = "Gemm", .dtypes = weighted, .float_output = true, .quantizes_constants = true},
      IntegerKernel{.op = "MatMul", .dtypes = weighted, .float_output = true},
      ort_checked("Add", 2),
      ort_checked("Mul", 2),
      ort_one_dtype("Where", 2, 1),
      ort_one_dtype("Concat", all_operands),
      ort_average_pool(),
      ort_one_dtype("GlobalAveragePool"),
      ort_one_dtype("LeakyRelu"),
      ort_one_dtype("Sigmoid"),
      ort_one_dtype("Softmax"),
      ort_max_pool(),
      ort_movement("Resize", ort_8_bit),
      ort_movement("ReduceMax", ort_8_bit),
      ort_movement("ReduceMin", ort_8_bit),
      ort_movement("DepthToSpace", ort_8_bit),
      ort_movement("Split"),
      ort_movement("Transpose"),
      ort_movement("Reshape"),
      ort_movement("Flatten"),
      ort_movement("Squeeze"),
      ort_movement("Unsqueeze"),
      ort_movement("Slice"),
      ort_movement("Gather"),
      ort_movement("GatherElements"),
      ort_movement("Expand"),
      ort_movement("Tile"),
  };
}
inline constexpr auto ort_x64_kernels = ort_kernels(ort_x64_dtypes);
inline constexpr auto ort_arm64_kernels = ort_kernels(ort_arm64_dtypes);
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
inline constexpr std::array<std::string_view, 8> ort_quantizers_pass{"Identity", "Dropout", "MaxPool", "Transpose",
                                                                     "Reshape",  "Slice",   "Squeeze", "Unsqueeze"};

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
};

}  // namespace targets
}  // namespace graft::inline v1
