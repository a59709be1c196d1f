#pragma once
// ONNX Runtime's CPU execution provider, as measured on 1.24: qdq_transformer/selectors_actions/qdq_selectors.cc,
// qdq_transformer/{relu,clip}_quantizelinear.cc. Other activations leave the kernel in float if they stand before Q:
// they get pairs of their own, behind an integer Conv. Costs are what benchmarks/kernel_costs.py prints, rounded. They
// are of several machines: the times of each are scaled so that Conv in float takes the same on all.
// Changes were measured on each minor release to 1.32, on x86-64.
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/detail/ort_weight_kernels.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array ort_activations{FusedActivation{"Relu", Fuses::when_redundant},
                                            FusedActivation{"Clip", Fuses::when_redundant}};

inline constexpr std::array ort_x64_dtypes{KernelDTypes{DType::u8, DType::i8}, KernelDTypes{DType::u8, DType::u8}};
inline constexpr std::array ort_arm64_dtypes{KernelDTypes{DType::i8, DType::i8}, KernelDTypes{DType::u8, DType::i8},
                                             KernelDTypes{DType::u8, DType::u8}};
inline constexpr std::array ort_u8{KernelDTypes{DType::u8}};
inline constexpr std::array ort_8_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}};
inline constexpr std::array ort_up_to_16_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}, KernelDTypes{DType::u16},
                                             KernelDTypes{DType::i16}};

constexpr IntegerKernel ort_one_dtype(std::string_view op, KernelCost in_float, KernelCost in_integers) {
  return {.op = op,
          .dtypes = ort_8_bit,
          .form = KernelForm::elementwise,
          .in_float = in_float,
          .in_integers = in_integers};
}
constexpr IntegerKernel ort_movement(std::string_view op, KernelCost in_float, KernelCost in_integers,
                                     std::span<const KernelDTypes> dtypes = ort_up_to_16_bit, int since = 0) {
  return {.op = op,
          .dtypes = dtypes,
          .form = KernelForm::passthrough,
          .since = since,
          .in_float = in_float,
          .in_integers = in_integers};
}
/// What copies, and what does not even that: a kernel that moves a pointer.
constexpr IntegerKernel ort_copy(std::string_view op) { return ort_movement(op, {500, 0.3f}, {500, 0.08f}); }
constexpr IntegerKernel ort_view(std::string_view op) { return ort_movement(op, {400, 0.02f}, {400, 0.01f}); }
/// Of those whose types the runtime infers.
constexpr IntegerKernel ort_checked(IntegerKernel kernel, std::size_t operands = 1) {
  kernel.quirks = kernel.quirks.with(KernelQuirk::refuses_lists);
  kernel.operands = operands;
  return kernel;
}
/// Probabilities beyond what its quantizer can represent become 0 (contrib_ops/cpu/quantization/qlinear_softmax.cc).
constexpr IntegerKernel ort_softmax() {
  IntegerKernel kernel = ort_one_dtype("Softmax", {700, 0.4f}, {700, 3.3f});
  kernel.unsaturated_up_to = 1;
  return kernel;
}
/// The multiplier of MLAS's fixed point, and what float32 holds when the product is rounded to int32.
constexpr IntegerKernel ort_with_ratio(IntegerKernel kernel, float scale_ratio) {
  kernel.scale_ratio = scale_ratio;
  return kernel;
}
inline constexpr std::array ort_pool_lacks{
    LackedAttributes{.one = {"dilations"}},
    LackedAttributes{.one = {"ceil_mode", {}, 1},
                     .other = {"count_include_pad", {}, 1},
                     .since = 19,
                     .then = Lacking::miscomputed}};
constexpr IntegerKernel ort_average_pool() {
  IntegerKernel kernel = ort_checked(ort_one_dtype("AveragePool", {2000, 0.3f}, {2000, 10}));
  kernel.lacks = ort_pool_lacks;
  return kernel;
}
/// Axes are not moved along where the runtime puts channels last. What is extrapolated with is a real number. Between
/// pixels it truncates, by 0.43 of a step on average, unless it is antialiased (core/providers/cpu/tensor/upsample.h).
inline constexpr std::array ort_resize_lacks{
    LackedAttributes{.one = {"axes"}, .then = Lacking::miscomputed},
    LackedAttributes{.one = {"mode", "cubic"}, .then = Lacking::miscomputed},
    LackedAttributes{.one = {"coordinate_transformation_mode", "tf_crop_and_resize"}, .then = Lacking::miscomputed},
    LackedAttributes{.one = {"mode", "linear"}, .then = Lacking::rounded_down, .unless = {"antialias", {}, 1}}};
/// Of int8; the pairs of which x86-64 makes uint8.
inline constexpr std::array ort_signed_resize_lacks{
    ort_resize_lacks[0], ort_resize_lacks[1], ort_resize_lacks[2], ort_resize_lacks[3],
    LackedAttributes{.one = {"antialias", {}, 1}, .then = Lacking::miscomputed}};
/// The costs are those of nearest; linear takes 5 in float and 7 in integers.
constexpr IntegerKernel ort_resize() {
  IntegerKernel kernel = ort_movement("Resize", {0, 0.4f}, {0, 1.9f}, ort_8_bit);
  kernel.lacks = ort_resize_lacks;
  return kernel;
}
/// It has vectors in the layout of integer convolutions alone.
constexpr IntegerKernel ort_max_pool() {
  IntegerKernel kernel = ort_movement("MaxPool", {2000, 0.16f}, {2500, 0.25f}, ort_8_bit, 12);
  kernel.until = 21;
  kernel.float_input_cost = {.product = 2.8f};
  return kernel;
}
constexpr IntegerKernel ort_where() {
  IntegerKernel kernel = ort_one_dtype("Where", {1500, 2}, {1000, 0.45f});
  kernel.first_operand = 1;
  kernel.operands = 2;
  kernel.quirks = {KernelQuirk::requantizes};
  return kernel;
}
constexpr IntegerKernel ort_concat() {
  IntegerKernel kernel = ort_one_dtype("Concat", {2000, 0.35f}, {1000, 0.2f});
  kernel.operands = all_operands;
  kernel.quirks = {KernelQuirk::requantizes};
  return kernel;
}

/// Those of x86-64 with VNNI, of 8 bits. Pieces were measured without it, and copies have no use for it.
inline constexpr std::array ort_x64_kernels{
    IntegerKernel{.op = "Conv",
                  .dtypes = ort_x64_dtypes,
                  .in_float = {3000, 0.05f, 0.0142f},
                  .in_integers = {3600, 0.08f, 0.0036f, 0, 5},
                  .few_channels = KernelCosts{{1000, 0, 0.0245f}, {6000, 0.02f, 0.0317f}},
                  .first_layer = KernelCosts{{1800, 0.12f, 0.0189f}, {2800, 0.22f, 0.0048f, 0, 6.7f}},
                  .guard_cost = {0, 3},
                  .quirks = {KernelQuirk::quantizes_constants}},
    IntegerKernel{.op = "Gemm",
                  .dtypes = ort_x64_dtypes,
                  .in_float = {300, 0.1f, 0.0126f, 0.045f},
                  .in_integers = {800, 0.45f, 0.0027f, 0.0105f},
                  .quirks = {KernelQuirk::float_output, KernelQuirk::quantizes_constants}},
    IntegerKernel{.op = "MatMul",
                  .dtypes = ort_x64_dtypes,
                  .in_float = {300, 0.1f, 0.0126f, 0.045f},
                  .in_integers = {800, 0.45f, 0.0027f, 0.0105f},
                  .quirks = {KernelQuirk::float_output, KernelQuirk::merges_with_add}},
    ort_with_ratio(ort_checked(ort_one_dtype("Add", {200, 0.4f, 0, 0, 16}, {1100, 0.27f, 0, 0, 35}), 2), 65536),
    ort_checked(ort_one_dtype("Mul", {100, 0.4f, 0, 0, 16}, {1100, 0.4f, 0, 0, 23}), 2),
    ort_where(),
    ort_concat(),
    ort_average_pool(),
    ort_with_ratio(ort_one_dtype("GlobalAveragePool", {1400, 0.25f}, {1800, 0.06f}), 256),
    ort_one_dtype("LeakyRelu", {5000, 0.25f}, {5000, 0.35f}),
    ort_one_dtype("Sigmoid", {4000, 0.4f}, {4000, 0.4f}),
    ort_softmax(),
    ort_max_pool(),
    ort_resize(),
    ort_movement("ReduceMax", {3000, 0.13f}, {3000, 0.02f}, ort_8_bit, 12),
    ort_movement("ReduceMin", {3000, 0.13f}, {3000, 0.02f}, ort_8_bit, 12),
    ort_movement("DepthToSpace", {0, 2.8f}, {2000, 1.7f}, ort_u8, 11),
    ort_copy("Split"),
    ort_copy("Transpose"),
    ort_view("Reshape"),
    ort_view("Flatten"),
    ort_view("Squeeze"),
    ort_view("Unsqueeze"),
    ort_copy("Slice"),
    ort_copy("Gather"),
    ort_copy("GatherElements"),
    ort_copy("Expand"),
    ort_copy("Tile"),
};

/// Of operators that have no integer kernel. Measured without VNNI, and scaled as the others.
inline constexpr std::array ort_float_costs{
    FloatCost{"LayerNormalization", {700, 1.2f}},
    FloatCost{"com.microsoft::SkipLayerNormalization", {700, 1.3f}},
    FloatCost{"com.microsoft::Gelu", {400, 1.2f}},
    FloatCost{"com.microsoft::BiasGelu", {700, 1.1f}},
    FloatCost{"com.microsoft::FastGelu", {500, 0.7f}},
    FloatCost{"com.microsoft::QuickGelu", {300, 0.8f}},
    FloatCost{"Erf", {400, 0.65f}},
    FloatCost{"HardSwish", {800, 0.5f}},
    FloatCost{"Softplus", {400, 13}},
    FloatCost{"Elu", {400, 2.1f}},
    FloatCost{"Log", {400, 2}},
    FloatCost{"Sin", {400, 2.3f}},
    FloatCost{"Cos", {400, 2.3f}},
    FloatCost{"Attention", {10000, 1, 0.024f}},
    FloatCost{"com.microsoft::MultiHeadAttention", {10000, 1, 0.024f}},
    FloatCost{"LSTM", {5000, 0, 0.055f}},
    FloatCost{"GRU", {5000, 0, 0.055f}},
};

/// Of MatMulNBits.
inline constexpr std::array ort_block_costs{BlockCost{4, {1200, 1.9f, 0.0108f, 0.0045f}},
                                            BlockCost{8, {700, 2, 0.0086f, 0.014f}}};
/// Unmeasured: as much more than with VNNI as products in float take.
inline constexpr std::array ort_avx2_block_costs{BlockCost{4, {1200, 3.3f, 0.019f, 0.0045f}},
                                                 BlockCost{8, {700, 3.5f, 0.015f, 0.014f}}};

/// Without VNNI weighted kernels take other times; those of the others are taken for the same.
inline constexpr auto ort_avx2_kernels = [] {
  auto kernels = ort_x64_kernels;
  for (IntegerKernel& kernel : kernels) {
    if (kernel.form != KernelForm::weighted) continue;
    kernel.in_float = {600, 0.04f, 0.022f, 0.075f, 4};
    kernel.in_integers = {1200, 0.12f, 0.011f, 0.019f, 11};
    if (kernel.op != "Conv") continue;
    kernel.in_float = {600, 0.05f, 0.022f, 0.06f};
    kernel.in_integers = {800, 0.15f, 0.011f, 0.02f, 5};
    kernel.few_channels = {{1000, 0.15f, 0.04f}, {800, 0.22f, 0.043f}};
    kernel.first_layer = {{3000, 0.3f, 0.026f}, {5000, 0.3f, 0.012f, 0, 8}};
  }
  return kernels;
}();

/// ARM64 has products of int8 with int8, and leaves pairs of int8 as they are. Costs are those of x86-64.
inline constexpr auto ort_arm64_kernels = [] {
  auto kernels = ort_x64_kernels;
  for (IntegerKernel& kernel : kernels) {
    if (kernel.form == KernelForm::weighted) kernel.dtypes = ort_arm64_dtypes;
    if (kernel.op == "Resize") kernel.lacks = ort_signed_resize_lacks;
  }
  return kernels;
}();
inline constexpr std::array ort_signed{DType::i8};
inline constexpr std::array ort_unsigned{DType::u8};
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

/// Since 1.27 Resize is computed in integers where it moves pixels only.
inline constexpr std::array ort_resize_lacks_1_27{
    LackedAttributes{.one = {"mode", "linear"}, .then = Lacking::in_float},
    LackedAttributes{.one = {"mode", "cubic"}, .then = Lacking::in_float}, ort_resize_lacks[0], ort_resize_lacks[2]};
inline constexpr std::array ort_resize_lacks_1_28{
    ort_resize_lacks_1_27[0], ort_resize_lacks_1_27[1],
    LackedAttributes{.one = {"coordinate_transformation_mode", "tf_crop_and_resize"}, .then = Lacking::in_float},
    ort_resize_lacks[0]};
inline constexpr std::array ort_kernel_changes{
    KernelChange{.since = {1, 27},
                 .op = "Conv",
                 .gains = {KernelQuirk::zero_points_by_channel, KernelQuirk::checks_bias_scale}},
    KernelChange{.since = {1, 27}, .op = "Resize", .lacks = ort_resize_lacks_1_27},
    KernelChange{.since = {1, 28},
                 .op = "Gemm",
                 .gains = {KernelQuirk::needs_zero_points, KernelQuirk::no_factor_with_bias, KernelQuirk::checks_axis}},
    KernelChange{.since = {1, 28}, .op = "MaxPool", .until = std::numeric_limits<int>::max()},
    KernelChange{.since = {1, 28}, .op = "Resize", .lacks = ort_resize_lacks_1_28},
    KernelChange{.since = {1, 32}, .op = "MatMul", .gains = {KernelQuirk::checks_quantized_axis}},
    KernelChange{.since = {1, 32},
                 .op = "Add",
                 .gains = {KernelQuirk::lists_in_float},
                 .loses = {KernelQuirk::refuses_lists}},
    KernelChange{.since = {1, 32},
                 .op = "Mul",
                 .gains = {KernelQuirk::lists_in_float},
                 .loses = {KernelQuirk::refuses_lists}},
};
inline constexpr std::array ort_changes{
    TargetChange{.since = {1, 27},
                 .gains = {Quirk::refuses_half_with_cache},
                 .block_kernels = ort_block_kernels_1_27,
                 .cache_bits = ort_cache_bits},
    TargetChange{.since = {1, 29}, .loses = {Quirk::refuses_half_with_cache}},
    TargetChange{.since = {1, 31},
                 .gains = {Quirk::drops_half_step_beyond},
                 .loses = {Quirk::refuses_half_step_beyond}},
};

/// contrib_ops/cpu/quantization/dynamic_quantize_matmul.cc adds the bias where it rescales sums, with such scales
/// alone: measured on 1.24 and 1.32. mlas/lib/qgemm_kernel_amx.cpp: microsoft/onnxruntime#26324, mended by
/// #27671. qdq_transformer/qdq_propagation.cc: #27845, mended for constants and opset 21 by #28521 and #28144; measured
/// on 1.24, 1.27, 1.28 and 1.32. #28144 states output_dtype, which qdq_transformer/qdq_s8_to_u8.cc leaves as it is:
/// measured on 1.24, 1.26, 1.27 and 1.32. Inputs of bodies are none of qdq_propagation.cc: measured on 1.24 and 1.32.
inline constexpr std::array ort_faults{
    KnownFault{Fault::dropped_bias, {1, 24}},
    KnownFault{Fault::partial_tiles, {1, 23}, Release{1, 25}, Processor::amx},
    KnownFault{Fault::unstated_zero_point, {1, 24}},
    KnownFault{Fault::unstated_zero_point_anywhere, {1, 24}, Release{1, 27}},
    KnownFault{Fault::carried_int8, {1, 27}},
    KnownFault{Fault::carried_into_body, {1, 24}},
    KnownFault{Fault::dropped_cache_bias, {1, 27}, Release{1, 28}}};

/// Attention and EmbedLayerNormalization hold weights, which are quantized outside of them. QuickGelu has no integer
/// kernel where Sigmoid and Mul have, and the runtime makes it of those that stay in float.
/// SimplifiedLayerNormalization keeps Q/DQ out of a normalization; quantize() does not leave it in the model.
inline constexpr std::array<std::string_view, 3> ort_left_apart{
    "com.microsoft::Attention", "com.microsoft::EmbedLayerNormalization", "com.microsoft::QuickGelu"};
inline constexpr auto ort_quantized_fused_operators = [] {
  std::array<FusedOperator, ort_cpu_fused_operators.size() - ort_left_apart.size() + 1> kept{
      FusedOperator{"SimplifiedLayerNormalization"}};
  const auto is_kept = [](const FusedOperator& fused) {
    return std::find(ort_left_apart.begin(), ort_left_apart.end(), fused.op) == ort_left_apart.end();
  };
  std::copy_if(ort_cpu_fused_operators.begin(), ort_cpu_fused_operators.end(), kept.begin() + 1, is_kept);
  return kept;
}();

}  // namespace detail

namespace targets {

/// With VNNI.
inline constexpr Target ort_cpu_x64{
    .name = "ort-cpu-x64",
    .activation = DType::u8,
    .kernels = detail::ort_x64_kernels,
    .dynamic_kernels = detail::ort_dynamic_kernels,
    .block_kernels = detail::ort_block_kernels,
    .block_costs = detail::ort_block_costs,
    .quantize = {500, 0.12f},
    .dequantize = {450, 0.15f},
    .relayout = {.element = 0.22f},
    .dynamic_quantize = {900, 0.13f},
    .float_costs = detail::ort_float_costs,
    .other = {400, 0.25f},
    .activations = detail::ort_activations,
    .fused_operators = {"ort-cpu", detail::ort_quantized_fused_operators},
    .integer_operators = detail::ort_integer_operators,
    .quirks = {Quirk::refuses_half_step_beyond, Quirk::converts_int8_to_uint8},
    .quantizers_pass = detail::ort_quantizers_pass,
    .redundancy_slack = std::numeric_limits<float>::epsilon(),
    .faults = detail::ort_faults,
    .release = {1, 24},
    .kernel_changes = detail::ort_kernel_changes,
    .changes = detail::ort_changes,
};

/// With VNNI and AMX. Costs are those of VNNI.
inline constexpr Target ort_cpu_amx = [] {
  Target target = ort_cpu_x64;
  target.name = "ort-cpu-amx";
  target.processor = Processor::amx;
  return target;
}();

/// Without VNNI: kernels of AVX2 and of AVX-512 sum two products of uint8 and int8 at 16 bits, and saturate there.
inline constexpr Target ort_cpu_avx2 = [] {
  Target target = ort_cpu_x64;
  target.name = "ort-cpu-avx2";
  target.weight_bits = 7;
  target.kernels = detail::ort_avx2_kernels;
  target.quantize = {500, 0.25f};
  target.dynamic_quantize = {900, 0.3f};
  target.block_costs = detail::ort_avx2_block_costs;
  return target;
}();

inline constexpr Target ort_cpu_arm64 = [] {
  Target target = ort_cpu_x64;
  target.name = "ort-cpu-arm64";
  target.activation = DType::i8;
  target.kernels = detail::ort_arm64_kernels;
  target.quirks = target.quirks.without(Quirk::converts_int8_to_uint8);
  return target;
}();

}  // namespace targets
}  // namespace graft::inline v1
