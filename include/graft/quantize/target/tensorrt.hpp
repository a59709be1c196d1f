#pragma once
// TensorRT, as its open sources and documents describe it: the ONNX parser of 10.1 and of about 10.15, and what its
// makers' tools write for it. Nothing here was run on a GPU, and there are no measured costs: kernels are taken to gain
// where those tools quantize.
//
// - Integers are symmetric int8. A zero point other than 0, uint8 and wider integers refuse the model, quantizers of
//   biases among them: biases stay in float.
// - Pairs stand on inputs: a kernel reads integers, and gives them if the next one reads them. Operators between two
//   products vanish into the first: activations, sums and products with constants, and a sum whose other branch is
//   quantized. The rest of the graph stays in float.
// - Behind a Relu a symmetric range leaves half of the codes unused. A pair in front would not be nearer to float: its
//   range is that of the values before the Relu, which is at least as wide, and it would split the kernel.
// - with_activations(tensorrt, DType::f8e4m3fn) has FP8 for products and weights. In attention it is for heads of 9 to
//   256 elements, the scale of probabilities is 1/448, and the factor of scores stands on the queries.
// - Of two kernels whose results are added, the one farther from what both come from takes the sum along; the other's
//   result is quantized.
// - Sums, products and joins of tensors have no entry of their own. They are fused into a product, or in float:
//   placement gives them no pairs. Of other tools' pairs the audit tells whether they serve: all operands of a sum are
//   quantized and its result is, quantizers around a Concat have one scale.
// - Quantizers move past what moves values, which gets no pair of its own, and never moves integers.
//
// What no model tells is not judged: flags of the builder (float types, the DLA, which takes uint8 and zero points),
// the GPU, whether a plugin is loaded, and the release: Attention of ONNX needs 10.14, opset 24 about 10.15.
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array tensorrt_activations{
    FusedActivation{"Abs"},         FusedActivation{"BatchNormalization"}, FusedActivation{"Clip"},
    FusedActivation{"Elu"},         FusedActivation{"Exp"},                FusedActivation{"Gelu"},
    FusedActivation{"HardSigmoid"}, FusedActivation{"HardSwish"},          FusedActivation{"LeakyRelu"},
    FusedActivation{"Mish"},        FusedActivation{"Neg"},                FusedActivation{"PRelu"},
    FusedActivation{"Relu"},        FusedActivation{"Selu"},               FusedActivation{"Sigmoid"},
    FusedActivation{"Softplus"},    FusedActivation{"Softsign"},           FusedActivation{"Sqrt"},
    FusedActivation{"Tanh"},        FusedActivation{"Add", Fuses::always, FusedInput::either},
    FusedActivation{"Mul", Fuses::always, FusedInput::gated},
    FusedActivation{"Div", Fuses::always, FusedInput::gated},
    FusedActivation{"Sub", Fuses::always, FusedInput::gated},
};

inline constexpr std::array tensorrt_results{DType::i8, DType::f8e4m3fn};
inline constexpr std::array tensorrt_products{KernelDTypes{DType::i8, DType::i8},
                                              KernelDTypes{DType::f8e4m3fn, DType::f8e4m3fn}};
inline constexpr std::array tensorrt_integers{KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array tensorrt_alone{KernelDTypes{DType::i8}};

constexpr IntegerKernel tensorrt_product(std::string_view op,
                                         std::span<const KernelDTypes> dtypes = tensorrt_products) {
  return {.op = op,
          .dtypes = dtypes,
          .quirks = {KernelQuirk::float_output, KernelQuirk::float_beside_quantizers, KernelQuirk::symmetric_weight,
                     KernelQuirk::slow_if_small, KernelQuirk::masked_in_float},
          .output_dtypes = tensorrt_results};
}
constexpr IntegerKernel tensorrt_conv(std::string_view op, std::span<const KernelDTypes> dtypes = tensorrt_products) {
  IntegerKernel kernel = tensorrt_product(op, dtypes);
  kernel.quirks = kernel.quirks.with(
      {KernelQuirk::constant_weight, KernelQuirk::fuses_pads, KernelQuirk::depthwise_without_gates});
  return kernel;
}
constexpr IntegerKernel tensorrt_gemm() {
  IntegerKernel kernel = tensorrt_product("Gemm");
  kernel.quirks = kernel.quirks.with(KernelQuirk::factors_apart);
  return kernel;
}
constexpr IntegerKernel tensorrt_matmul() {
  IntegerKernel kernel = tensorrt_product("MatMul");
  kernel.quirks = kernel.quirks.with(KernelQuirk::unmoved_weight);
  return kernel;
}
/// It gains no more than its own conversion takes: it is quantized behind a product. Its result is too if the next
/// kernel reads it.
constexpr IntegerKernel tensorrt_alone_kernel(std::string_view op, KernelCost in_float) {
  return {.op = op,
          .dtypes = tensorrt_alone,
          .form = KernelForm::elementwise,
          .in_float = in_float,
          .quirks = {KernelQuirk::fuses_no_activations, KernelQuirk::float_output,
                     KernelQuirk::float_beside_quantizers}};
}
/// It computes in float. Of its input in integers the Conv in front gains.
constexpr IntegerKernel tensorrt_layer_normalization() {
  IntegerKernel kernel = tensorrt_alone_kernel("LayerNormalization", {.element = 1.1f});
  kernel.quirks = kernel.quirks.with(KernelQuirk::behind_conv);
  return kernel;
}
inline constexpr std::array tensorrt_kernels{
    tensorrt_conv("Conv"),
    tensorrt_conv("ConvTranspose", tensorrt_integers),
    tensorrt_gemm(),
    tensorrt_matmul(),
    tensorrt_alone_kernel("AveragePool", {.element = 2}),
    tensorrt_alone_kernel("GlobalAveragePool", {.element = 2}),
    tensorrt_alone_kernel("Resize", {.element = 1.1f}),
    tensorrt_layer_normalization(),
};
inline constexpr std::array<std::string_view, 12> tensorrt_quantizers_pass{
    "Identity", "Dropout", "MaxPool",   "Transpose", "Reshape", "Flatten",
    "Squeeze",  "Slice",   "Unsqueeze", "Gather",    "Expand",  "Tile"};

/// Weights of int4 beside activations in float.
inline constexpr std::array tensorrt_block_bits{4};
inline constexpr std::array tensorrt_block_kernels{BlockKernel{.op = "DequantizeLinear",
                                                               .bits = tensorrt_block_bits,
                                                               .min_block = 64,
                                                               .max_block = 128,
                                                               .is_plain = true}};

/// The parser reads these of ONNX alone, not those of com.microsoft.
inline constexpr std::array tensorrt_fused{FusedOperator{"LayerNormalization"}, FusedOperator{"Gelu"}};

/// Of quantizers: int4 is for weights.
inline constexpr std::array tensorrt_dtypes{DType::i8, DType::i4, DType::f8e4m3fn, DType::f4e2m1};

}  // namespace detail

namespace targets {

inline constexpr Target tensorrt{
    .name = "tensorrt",
    .activation = DType::i8,
    .zero_points = ZeroPoints::zero,
    .bias = BiasForm::float32,
    .kernels = detail::tensorrt_kernels,
    .block_kernels = detail::tensorrt_block_kernels,
    .activations = detail::tensorrt_activations,
    .fused_in_a_row = std::numeric_limits<std::size_t>::max(),
    .fused_operators = {"tensorrt", detail::tensorrt_fused},
    .integer_operators = {},
    .quirks = {Quirk::constant_qparams_only, Quirk::keeps_tables_in_float, Quirk::falls_back_to_float,
               Quirk::pairs_on_one_branch, Quirk::pairs_on_inputs, Quirk::refuses_zero_points,
               Quirk::refuses_unstated_dtypes, Quirk::refuses_unstated_axes, Quirk::refuses_unusual_scales,
               Quirk::refuses_uint8, Quirk::refuses_integer_operators, Quirk::refuses_other_domains,
               Quirk::refuses_unusual_pools, Quirk::refuses_unusual_resizes,
               Quirk::refuses_unusual_attention, Quirk::refuses_moved_integers,
               Quirk::whole_probabilities, Quirk::scaled_queries},
    .quantizers_pass = detail::tensorrt_quantizers_pass,
    .quantizer_dtypes = detail::tensorrt_dtypes,
    .min_opset = 9,
    .max_opset = 24,
};

}  // namespace targets
}  // namespace graft::inline v1
