#pragma once
// OpenVINO's CPU plugin, as measured on 2026.4 with AVX512-VNNI: which primitives its runtime model shows in 8 bits.
//
// - Its low-precision transformations take quantizers apart and put them together again. What a kernel does not take
//   (zero points of weights other than 0, scales along another axis, scales that are computed) is computed in float as
//   ONNX defines it; nothing is refused. Scale and zero point of activations are free, dtypes may be mixed, and biases
//   are added as float.
// - Any activation of the list vanishes into a Conv, Gemm or MatMul if the pair stands behind it alone. A pair in front
//   of it makes an operator of its own of the activation. So do pairs inside x * Sigmoid(x), or inside a Gelu of
//   primitives: prepare_model() makes one operator of each.
// - ConvTranspose has a kernel for one group and a tensor whose zero point is 0. It is quantized where no value of its
//   tensor is negative.
// - A MatMul or Gemm of two tensors is in integers if the zero points of both are 0; that of a second one of u8 is 128
//   then. Any other is in float. Placement leaves them alone.
// - A pair behind what only moves values, with the same q-params, is not a primitive of its own.
// - Sums and products of two tensors, element by element, read and write 8 bits and compute in float. A sum vanishes
//   into the last of the convolutions that make its operands if all of these are quantized, by a pair that other
//   readers may share.
// - A DequantizeLinear is taken behind what moves values, and a QuantizeLinear to the front of Concat and Transpose.
//   Where operands of a Concat keep different scales, the Conv behind it is in float.
#include <array>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array openvino_activations{
    FusedActivation{"Abs"},     FusedActivation{"Clip"},  FusedActivation{"Elu"},   FusedActivation{"Gelu"},
    FusedActivation{"HardSwish"}, FusedActivation{"LeakyRelu"}, FusedActivation{"Mish"}, FusedActivation{"PRelu"},
    FusedActivation{"Relu"},    FusedActivation{"Round"}, FusedActivation{"Sigmoid"}, FusedActivation{"Sqrt"},
    FusedActivation{"Tanh"},    FusedActivation{"com.microsoft::Gelu"}, FusedActivation{"com.microsoft::QuickGelu"},
};
inline constexpr std::array openvino_fused{FusedOperator{"com.microsoft::Gelu", AtLoad::sometimes_fused},
                                           FusedOperator{"com.microsoft::QuickGelu", AtLoad::sometimes_fused}};

inline constexpr std::array openvino_outputs{DType::u8, DType::i8};
inline constexpr std::array openvino_8_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}};
inline constexpr std::array openvino_product_dtypes{KernelDTypes{DType::u8, DType::i8},
                                                    KernelDTypes{DType::i8, DType::i8}};
inline constexpr QuirkSet<KernelQuirk> openvino_gives_float{KernelQuirk::float_output,
                                                            KernelQuirk::float_beside_quantizers};

constexpr IntegerKernel openvino_product(std::string_view op, KernelCost in_float, KernelCost in_integers) {
  return {.op = op,
          .dtypes = openvino_product_dtypes,
          .in_float = in_float,
          .in_integers = in_integers,
          .quirks = openvino_gives_float.with(KernelQuirk::symmetric_weight)
                        .with(KernelQuirk::constant_weight)
                        .with(KernelQuirk::symmetric_factors),
          .output_dtypes = openvino_outputs};
}
inline constexpr std::array openvino_conv_transpose_lacks{
    LackedAttributes{.one = {"group"}, .then = Lacking::in_float, .unless = {"group", {}, 1}}};
constexpr IntegerKernel openvino_conv_transpose() {
  IntegerKernel kernel = openvino_product("ConvTranspose", {14000, 0, 0.011f}, {15500, 0.08f, 0.0026f});
  kernel.quirks = kernel.quirks.with(KernelQuirk::zero_point_zero);
  kernel.lacks = openvino_conv_transpose_lacks;
  return kernel;
}
constexpr IntegerKernel openvino_conv() {
  IntegerKernel kernel = openvino_product("Conv", {600, 0, 0.01f}, {900, 0.03f, 0.0025f});
  kernel.few_channels = KernelCosts{{700, 0.03f, 0.012f}, {900, 0.03f, 0.0085f}};
  kernel.first_layer = KernelCosts{{1200, 0.6f, 0.024f}, {4000, 0.4f, 0.0036f}};
  return kernel;
}
/// Of several tensors, if not of one.
constexpr IntegerKernel openvino_one_dtype(std::string_view op, std::size_t operands, KernelCost in_float,
                                           KernelCost in_integers) {
  return {.op = op,
          .dtypes = openvino_8_bit,
          .form = KernelForm::elementwise,
          .operands = operands,
          .in_float = in_float,
          .in_integers = in_integers,
          .quirks = openvino_gives_float.with(KernelQuirk::mixes_dtypes),
          .output_dtypes = openvino_outputs};
}
constexpr IntegerKernel openvino_of_two(std::string_view op, KernelCost in_float, KernelCost in_integers) {
  IntegerKernel kernel = openvino_one_dtype(op, 2, in_float, in_integers);
  kernel.quirks = kernel.quirks.with(KernelQuirk::merges_constants);
  return kernel;
}
constexpr IntegerKernel openvino_concat() {
  IntegerKernel kernel = openvino_one_dtype("Concat", all_operands, {1000, 0}, {2400, 0.06f});
  kernel.quirks = kernel.quirks.with(KernelQuirk::requantizes)
                      .with(KernelQuirk::fuses_no_activations)
                      .with(KernelQuirk::passes_dequantizers)
                      .with(KernelQuirk::passes_quantizers);
  return kernel;
}
inline constexpr std::array openvino_pool_lacks{
    LackedAttributes{.one = {"ceil_mode", {}, 1}, .then = Lacking::in_float},
    LackedAttributes{.one = {"dilations"}, .then = Lacking::in_float}};
constexpr IntegerKernel openvino_average(std::string_view op, KernelCost in_float, KernelCost in_integers) {
  IntegerKernel kernel = openvino_one_dtype(op, 1, in_float, in_integers);
  kernel.quirks = kernel.quirks.with(KernelQuirk::fuses_no_activations);
  if (op == "AveragePool") kernel.lacks = openvino_pool_lacks;
  return kernel;
}
constexpr IntegerKernel openvino_movement(std::string_view op, KernelCost in_float = {1200, 0.4f},
                                          KernelCost in_integers = {1400, 0.4f}) {
  return {.op = op,
          .dtypes = openvino_8_bit,
          .form = KernelForm::passthrough,
          .in_float = in_float,
          .in_integers = in_integers,
          .quirks = {KernelQuirk::fuses_no_activations, KernelQuirk::passes_dequantizers}};
}
/// What takes the time is the pair behind it.
constexpr IntegerKernel openvino_view(std::string_view op) { return openvino_movement(op, {0, 0.02f}, {1200, 0.1f}); }
inline constexpr std::array openvino_resize_lacks{
    LackedAttributes{.one = {"mode", "linear"}, .then = Lacking::in_float},
    LackedAttributes{.one = {"mode", "cubic"}, .then = Lacking::in_float}};
constexpr IntegerKernel openvino_resize() {
  IntegerKernel kernel = openvino_movement("Resize", {0, 1.2f}, {0, 1.2f});
  kernel.lacks = openvino_resize_lacks;
  return kernel;
}

inline constexpr std::array openvino_kernels{
    openvino_conv(),
    openvino_conv_transpose(),
    openvino_product("Gemm", {0, 0, 0.0094f}, {1000, 0, 0.002f}),
    openvino_product("MatMul", {0, 0, 0.0092f}, {900, 0.03f, 0.002f}),
    openvino_of_two("Add", {0, 0.1f}, {0, 0.05f}),
    openvino_of_two("Mul", {0, 0.15f}, {0, 0.1f}),
    openvino_concat(),
    openvino_average("AveragePool", {1000, 0.1f}, {2500, 0.3f}),
    openvino_average("GlobalAveragePool", {1300, 0.07f}, {1600, 0.04f}),
    openvino_movement("MaxPool", {1000, 0.11f}, {2500, 0.15f}),
    openvino_resize(),
    openvino_movement("ReduceMax", {1300, 0.06f}, {1500, 0.05f}),
    openvino_movement("ReduceMin", {1300, 0.06f}, {1500, 0.05f}),
    openvino_movement("DepthToSpace", {1100, 0.7f}, {1300, 0.7f}),
    openvino_movement("Split"),
    openvino_movement("Transpose", {1200, 0.5f}, {1400, 0.6f}),
    openvino_movement("Slice"),
    openvino_movement("Gather"),
    openvino_view("Reshape"),
    openvino_view("Flatten"),
    openvino_view("Squeeze"),
    openvino_view("Unsqueeze"),
};
inline constexpr std::array<std::string_view, 3> openvino_quantizers_pass{"Identity", "Dropout", "Transpose"};

}  // namespace detail

namespace targets {

inline constexpr Target openvino_cpu{
    .name = "openvino-cpu",
    .activation = DType::u8,
    .bias = BiasForm::float32,
    .kernels = detail::openvino_kernels,
    .quantize = {1200, 0.1f},
    .dequantize = {1200, 0.14f},
    .activations = detail::openvino_activations,
    .fused_in_a_row = 6,
    .fused_operators = {"openvino-cpu", detail::openvino_fused},
    .quirks = {Quirk::constant_qparams_only, Quirk::falls_back_to_float},
    .quantizers_pass = detail::openvino_quantizers_pass,
};

}  // namespace targets
}  // namespace graft::inline v1
