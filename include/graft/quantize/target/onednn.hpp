#pragma once
// oneDNN's Graph API on CPUs, as measured on 3.2: the partitions that it makes, and those that compile. Its patterns
// stand in src/graph/backend/dnnl/patterns. The bias is not dequantized there, it is added as float.
#include <array>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array onednn_activations{
    FusedActivation{"Abs"},
    FusedActivation{"Clip"},
    FusedActivation{"Elu"},
    FusedActivation{"Exp"},
    FusedActivation{"Gelu"},
    FusedActivation{"HardSigmoid"},
    FusedActivation{"HardSwish"},
    FusedActivation{"LeakyRelu"},
    FusedActivation{"Log"},
    FusedActivation{"Mish"},
    FusedActivation{"Relu"},
    FusedActivation{"Round"},
    FusedActivation{"Sigmoid"},
    FusedActivation{"Softplus"},
    FusedActivation{"Sqrt"},
    FusedActivation{"Tanh"},
    FusedActivation{"Add", Fuses::always, FusedInput::either},
    FusedActivation{"Mul", Fuses::always, FusedInput::either},
    FusedActivation{"Max", Fuses::always, FusedInput::either},
    FusedActivation{"Min", Fuses::always, FusedInput::either},
    FusedActivation{"Sub", Fuses::always, FusedInput::first},
    FusedActivation{"Div", Fuses::always, FusedInput::first},
};

inline constexpr std::array onednn_outputs{DType::u8, DType::i8};
inline constexpr std::array onednn_conv_dtypes{KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array onednn_product_dtypes{
    KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::i8, DType::i8}, KernelDTypes{DType::u8, DType::u8},
    KernelDTypes{DType::i8, DType::u8}};
inline constexpr std::array onednn_8_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}};
inline constexpr std::array<std::string_view, 5> onednn_behind_pools{"Reshape", "Transpose", "Flatten", "Squeeze",
                                                                     "Unsqueeze"};

constexpr IntegerKernel onednn_conv(std::string_view op) {
  return {.op = op,
          .dtypes = onednn_conv_dtypes,
          .quirks = {KernelQuirk::float_output, KernelQuirk::float_beside_quantizers, KernelQuirk::symmetric_weight},
          .output_dtypes = onednn_outputs};
}
constexpr IntegerKernel onednn_product(std::string_view op) {
  return {.op = op,
          .dtypes = onednn_product_dtypes,
          .quirks = {KernelQuirk::float_output, KernelQuirk::float_beside_quantizers, KernelQuirk::takes_no_factor},
          .output_dtypes = onednn_outputs};
}
constexpr IntegerKernel onednn_pool(std::string_view op) {
  return {.op = op,
          .dtypes = onednn_8_bit,
          .form = KernelForm::elementwise,
          .quirks = {KernelQuirk::fuses_no_activations},
          .moved_by = onednn_behind_pools};
}
inline constexpr std::array onednn_pool_lacks{LackedAttributes{
    .one = {"ceil_mode", {}, 1}, .other = {"count_include_pad", {}, 1}, .then = Lacking::in_float}};
constexpr IntegerKernel onednn_average_pool() {
  IntegerKernel kernel = onednn_pool("AveragePool");
  kernel.lacks = onednn_pool_lacks;
  return kernel;
}
inline constexpr std::array onednn_kernels{
    onednn_conv("Conv"),
    onednn_conv("ConvTranspose"),
    onednn_product("MatMul"),
    onednn_product("Gemm"),
    onednn_average_pool(),
    onednn_pool("GlobalAveragePool"),
    onednn_pool("MaxPool"),
    IntegerKernel{.op = "Concat",
                  .dtypes = onednn_8_bit,
                  .form = KernelForm::one_qparams,
                  .operands = all_operands,
                  .quirks = {KernelQuirk::fuses_no_activations}},
};

}  // namespace detail

namespace targets {

inline constexpr Target onednn{
    .name = "onednn",
    .activation = DType::u8,
    .bias = BiasForm::float32,
    .kernels = detail::onednn_kernels,
    .activations = detail::onednn_activations,
    .fused_in_a_row = 3,
    .quirks = {Quirk::does_not_simplify, Quirk::unshared_dequantizers, Quirk::constant_qparams_only},
};

}  // namespace targets
}  // namespace graft::inline v1
