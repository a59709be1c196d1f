#pragma once
// Qualcomm's QNN HTP behind ONNX Runtime, as measured with onnxruntime-qnn 2.7 (QNN 2.51) on x86-64, which emulates the
// processor: HTP v73 and later, where `soc_model` is given. ONNX Runtime moves and drops quantizers as for its CPU
// (qdq_transformer), makes units of an operator and the quantizers around it, and asks the backend twice about
// operators that depend on the layout: an operator accepted first and rejected later fails the session. Nothing was
// measured on a device.
//
// qnn_htp_v69 and qnn_htp_v68 are for older processors, and were measured on the same emulator: the former with
// `soc_model` 36, the latter without one. They take no constant weights of 16 bits, no second factor of int16 and no
// normalizations with a scale of 16 bits; products of 16 bits are coarse. HTP v68 has no 16-bit floats: some operators
// in float make no session there, the others are computed in float32.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/ort_cpu.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array qnn_conv_dtypes{
    KernelDTypes{DType::u8, DType::i8},   KernelDTypes{DType::u8, DType::u8},  KernelDTypes{DType::u8, DType::i4},
    KernelDTypes{DType::u16, DType::i8},  KernelDTypes{DType::u16, DType::u8}, KernelDTypes{DType::u16, DType::i4},
    KernelDTypes{DType::u16, DType::i16}, KernelDTypes{DType::u16, DType::u16}, KernelDTypes{DType::i8, DType::i8},
    KernelDTypes{DType::i16, DType::i8},  KernelDTypes{DType::i16, DType::i4}, KernelDTypes{DType::u8, DType::u4},
    KernelDTypes{DType::u16, DType::u4}};
inline constexpr std::array qnn_product_dtypes{
    KernelDTypes{DType::u8, DType::i8},   KernelDTypes{DType::u8, DType::u8},  KernelDTypes{DType::u8, DType::i4},
    KernelDTypes{DType::u16, DType::i8},  KernelDTypes{DType::u16, DType::u8}, KernelDTypes{DType::u16, DType::i4},
    KernelDTypes{DType::u16, DType::i16}, KernelDTypes{DType::u16, DType::u16}, KernelDTypes{DType::i8, DType::i8},
    KernelDTypes{DType::i16, DType::i8},  KernelDTypes{DType::i16, DType::i4}, KernelDTypes{DType::u8, DType::u4},
    KernelDTypes{DType::u16, DType::u4},  KernelDTypes{DType::i16, DType::i16}};
inline constexpr std::array qnn_layer_dtypes{KernelDTypes{DType::u8, DType::u8}, KernelDTypes{DType::u16, DType::u8},
                                             KernelDTypes{DType::u16, DType::u16}, KernelDTypes{DType::u16, DType::i16},
                                             KernelDTypes{DType::i8, DType::i8}};
inline constexpr std::array qnn_rms_dtypes{KernelDTypes{DType::u8, DType::u8}, KernelDTypes{DType::u16, DType::u8},
                                           KernelDTypes{DType::u16, DType::u16}, KernelDTypes{DType::u16, DType::i16},
                                           KernelDTypes{DType::i16, DType::u8}};
inline constexpr std::array qnn_batch_dtypes{
    KernelDTypes{DType::u8, DType::u8},  KernelDTypes{DType::u8, DType::i8},  KernelDTypes{DType::u16, DType::u8},
    KernelDTypes{DType::u16, DType::i8}, KernelDTypes{DType::u16, DType::u16}, KernelDTypes{DType::u16, DType::i16}};
inline constexpr std::array qnn_instance_dtypes{
    KernelDTypes{DType::u8, DType::u8}, KernelDTypes{DType::u16, DType::u8}, KernelDTypes{DType::u8, DType::i8},
    KernelDTypes{DType::u16, DType::i8}};
inline constexpr std::array qnn_any{KernelDTypes{DType::u8}, KernelDTypes{DType::u16}, KernelDTypes{DType::i8},
                                    KernelDTypes{DType::i16}};
inline constexpr std::array qnn_any_table{KernelDTypes{DType::u8}, KernelDTypes{DType::u16}, KernelDTypes{DType::i8},
                                          KernelDTypes{DType::i16}, KernelDTypes{DType::i4}};
inline constexpr std::array qnn_no_i16{KernelDTypes{DType::u8}, KernelDTypes{DType::u16}, KernelDTypes{DType::i8}};
inline constexpr std::array qnn_unsigned{KernelDTypes{DType::u8}, KernelDTypes{DType::u16}};
inline constexpr std::array qnn_8_bit{KernelDTypes{DType::u8}, KernelDTypes{DType::i8}};
inline constexpr std::array qnn_u8{KernelDTypes{DType::u8}};

using LackedWeight = LackedDTypes::Weight;
inline constexpr std::array qnn_conv_lacks{
    LackedDTypes{DType::u16, DType::undefined, Lacking::miscomputed, LackedWeight::pointwise_blocks},
    LackedDTypes{DType::undefined, DType::undefined, Lacking::refused, LackedWeight::blocks},
    LackedDTypes{DType::i8, DType::undefined, Lacking::in_float},
    LackedDTypes{DType::undefined, DType::undefined, Lacking::refused}};
inline constexpr std::array qnn_product_lacks{
    LackedDTypes{DType::u16, DType::undefined, Lacking::in_float, LackedWeight::blocks},
    LackedDTypes{DType::i16, DType::undefined, Lacking::in_float, LackedWeight::blocks},
    LackedDTypes{DType::undefined, DType::undefined, Lacking::left_out, LackedWeight::blocks},
    LackedDTypes{DType::i8, DType::undefined, Lacking::in_float},
    LackedDTypes{DType::undefined, DType::undefined, Lacking::left_out}};
inline constexpr std::array qnn_left_out{LackedDTypes{.then = Lacking::left_out}};
inline constexpr std::array qnn_refused{LackedDTypes{.then = Lacking::refused}};
/// What it computes of 16 bits has little to do with the operator.
inline constexpr std::array qnn_wrong_wide{LackedDTypes{.activation = DType::u16, .then = Lacking::miscomputed},
                                           LackedDTypes{.then = Lacking::left_out}};

inline constexpr std::array qnn_no_dilations{
    LackedAttributes{.one = {.name = "dilations", .but = 1}, .then = Lacking::left_out}};
inline constexpr std::array qnn_average_lacks{
    LackedAttributes{.one = {.name = "dilations", .but = 1}},
    LackedAttributes{.one = {"ceil_mode", {}, 1}, .then = Lacking::miscomputed}};

constexpr IntegerKernel qnn_conv(std::string_view op) {
  return {.op = op,
          .dtypes = qnn_conv_dtypes,
          .quirks = {KernelQuirk::quantizes_constants, KernelQuirk::zero_points_by_channel,
                     KernelQuirk::symmetric_channels, KernelQuirk::leaves_out_axes, KernelQuirk::no_bias_beside_4_bits,
                     KernelQuirk::transposed_weight, KernelQuirk::requantizes_bias,
                     KernelQuirk::requantizes_8_bit_biases, KernelQuirk::no_signed_depthwise},
          .lacks_dtypes = qnn_conv_lacks};
}
constexpr IntegerKernel qnn_conv_transpose() {
  IntegerKernel kernel = qnn_conv("ConvTranspose");
  kernel.lacks = qnn_no_dilations;
  return kernel;
}
constexpr IntegerKernel qnn_matmul() {
  return {.op = "MatMul",
          .dtypes = qnn_product_dtypes,
          .quirks = {KernelQuirk::zero_points_by_channel, KernelQuirk::leaves_out_zero_points,
                     KernelQuirk::transposed_weight, KernelQuirk::merges_with_add,
                     KernelQuirk::symmetric_16_bit_weight, KernelQuirk::narrows_factors},
          .lacks_dtypes = qnn_product_lacks};
}
constexpr IntegerKernel qnn_gemm() {
  return {.op = "Gemm",
          .dtypes = qnn_product_dtypes,
          .quirks = {KernelQuirk::quantizes_constants, KernelQuirk::zero_points_by_channel,
                     KernelQuirk::leaves_out_zero_points, KernelQuirk::transposed_weight,
                     KernelQuirk::requantizes_bias, KernelQuirk::takes_no_factor, KernelQuirk::leaves_out_factors,
                     KernelQuirk::needs_quantizer, KernelQuirk::symmetric_16_bit_weight,
                     KernelQuirk::constant_16_bit_weight},
          .lacks_dtypes = qnn_product_lacks};
}
constexpr IntegerKernel qnn_normalization(std::string_view op, std::span<const KernelDTypes> dtypes,
                                          std::span<const LackedDTypes> lacks) {
  return {.op = op,
          .dtypes = dtypes,
          .quirks = {KernelQuirk::zero_points_by_channel, KernelQuirk::own_weight_dtype, KernelQuirk::one_weight_scale,
                     KernelQuirk::requantizes_bias},
          .lacks_dtypes = lacks};
}
constexpr IntegerKernel qnn_batch_normalization() {
  IntegerKernel kernel = qnn_normalization("BatchNormalization", qnn_batch_dtypes, qnn_left_out);
  kernel.quirks =
      kernel.quirks.with({KernelQuirk::takes_float_bias, KernelQuirk::miscomputes_int32_bias});
  return kernel;
}
constexpr IntegerKernel qnn_elementwise(std::string_view op, std::span<const KernelDTypes> dtypes,
                                        std::size_t operands = 1,
                                        std::span<const LackedDTypes> lacks = qnn_left_out) {
  return {.op = op,
          .dtypes = dtypes,
          .form = KernelForm::elementwise,
          .operands = operands,
          .quirks = {KernelQuirk::exact_operands},
          .lacks_dtypes = lacks};
}
constexpr IntegerKernel qnn_unary(std::string_view op, std::span<const KernelDTypes> dtypes,
                                  std::span<const LackedDTypes> lacks = qnn_left_out) {
  IntegerKernel kernel = qnn_elementwise(op, dtypes, 1, lacks);
  kernel.quirks = {};
  return kernel;
}
constexpr IntegerKernel qnn_with(IntegerKernel kernel, KernelQuirk quirk) {
  kernel.quirks = kernel.quirks.with(quirk);
  return kernel;
}
constexpr IntegerKernel qnn_average_pool() {
  IntegerKernel kernel = qnn_unary("AveragePool", qnn_no_i16, qnn_refused);
  kernel.lacks = qnn_average_lacks;
  return kernel;
}
constexpr IntegerKernel qnn_where() {
  IntegerKernel kernel = qnn_elementwise("Where", qnn_any, 2);
  kernel.first_operand = 1;
  return kernel;
}
constexpr IntegerKernel qnn_movement(std::string_view op) {
  return {.op = op, .dtypes = qnn_any, .form = KernelForm::passthrough};
}
constexpr IntegerKernel qnn_max_pool() {
  IntegerKernel kernel = qnn_movement("MaxPool");
  kernel.since = 12;
  kernel.lacks = qnn_no_dilations;
  return kernel;
}
constexpr IntegerKernel qnn_repetition(std::string_view op) {
  return {.op = op, .dtypes = qnn_no_i16, .form = KernelForm::passthrough, .lacks_dtypes = qnn_left_out};
}
constexpr IntegerKernel qnn_gather() {
  return {.op = "Gather", .dtypes = qnn_any_table, .form = KernelForm::passthrough};
}
/// It gives other q-params than those of the operand, too.
constexpr IntegerKernel qnn_requantizing(std::string_view op) {
  return qnn_with(qnn_movement(op), KernelQuirk::requantizes);
}
/// Indices or booleans.
constexpr IntegerKernel qnn_comparison(std::string_view op, std::size_t operands) {
  return qnn_with(qnn_elementwise(op, qnn_any, operands), KernelQuirk::float_output);
}

constexpr IntegerKernel qnn_choice(std::string_view op) {
  return qnn_with(qnn_elementwise(op, qnn_no_i16, 1), KernelQuirk::float_output);
}

inline constexpr std::array qnn_kernels{
    qnn_conv("Conv"),
    qnn_conv_transpose(),
    qnn_matmul(),
    qnn_gemm(),
    qnn_normalization("LayerNormalization", qnn_layer_dtypes, qnn_left_out),
    qnn_normalization("RMSNormalization", qnn_rms_dtypes, qnn_left_out),
    qnn_normalization("InstanceNormalization", qnn_instance_dtypes, qnn_refused),
    qnn_batch_normalization(),
    qnn_elementwise("Add", qnn_any, 2),
    qnn_elementwise("Sub", qnn_any, 2),
    qnn_elementwise("Mul", qnn_any, 2),
    qnn_elementwise("Div", qnn_any, 2),
    qnn_elementwise("Max", qnn_any, 2),
    qnn_elementwise("Min", qnn_no_i16, 2),
    qnn_elementwise("Pow", qnn_no_i16, 2),
    qnn_with(qnn_elementwise("PRelu", qnn_any, 2), KernelQuirk::refuses_channel_slope),
    qnn_unary("Relu", qnn_any),
    qnn_unary("Clip", qnn_no_i16),
    qnn_unary("Sigmoid", qnn_any),
    qnn_unary("Tanh", qnn_any),
    qnn_unary("Gelu", qnn_any),
    qnn_unary("HardSwish", qnn_no_i16),
    qnn_unary("HardSigmoid", qnn_unsigned),
    qnn_unary("Elu", qnn_any),
    qnn_unary("LeakyRelu", qnn_unsigned),
    qnn_unary("Softplus", qnn_8_bit, qnn_wrong_wide),
    qnn_unary("Exp", qnn_no_i16),
    qnn_unary("Log", qnn_8_bit, qnn_wrong_wide),
    qnn_unary("Sqrt", qnn_no_i16),
    qnn_unary("Abs", qnn_no_i16),
    qnn_unary("Neg", qnn_unsigned),
    qnn_unary("Reciprocal", qnn_no_i16),
    qnn_unary("Floor", qnn_unsigned),
    qnn_unary("Ceil", qnn_unsigned),
    qnn_unary("Round", qnn_unsigned),
    qnn_unary("Sign", qnn_no_i16),
    qnn_unary("Sin", qnn_no_i16),
    qnn_unary("Cos", qnn_no_i16),
    qnn_unary("Asin", qnn_unsigned),
    qnn_unary("Atan", qnn_no_i16),
    qnn_with(qnn_unary("Softmax", qnn_any), KernelQuirk::lowest_zero_point),
    qnn_unary("LogSoftmax", qnn_unsigned),
    qnn_unary("LpNormalization", qnn_any),
    qnn_unary("LRN", qnn_u8),
    qnn_average_pool(),
    qnn_unary("GlobalAveragePool", qnn_no_i16, qnn_refused),
    qnn_unary("GlobalMaxPool", qnn_any),
    qnn_unary("ReduceMean", qnn_any),
    qnn_unary("ReduceSum", qnn_any),
    qnn_unary("ReduceMax", qnn_any),
    qnn_unary("ReduceMin", qnn_no_i16),
    qnn_with(qnn_unary("CumSum", qnn_unsigned), KernelQuirk::last_axis),
    qnn_elementwise("GridSample", qnn_u8, 2),
    qnn_elementwise("Concat", qnn_any, all_operands),
    qnn_where(),
    qnn_choice("ArgMax"),
    qnn_choice("ArgMin"),
    qnn_comparison("Equal", 2),
    qnn_comparison("Greater", 2),
    qnn_comparison("GreaterOrEqual", 2),
    qnn_comparison("Less", 2),
    qnn_comparison("LessOrEqual", 2),
    qnn_max_pool(),
    qnn_movement("Resize"),
    qnn_movement("Reshape"),
    qnn_movement("Flatten"),
    qnn_movement("Squeeze"),
    qnn_movement("Unsqueeze"),
    qnn_movement("Transpose"),
    qnn_movement("Identity"),
    qnn_gather(),
    qnn_movement("GatherElements"),
    qnn_repetition("Expand"),
    qnn_repetition("Tile"),
    qnn_requantizing("Slice"),
    qnn_requantizing("Split"),
    qnn_with(qnn_requantizing("Pad"), KernelQuirk::passes_dequantizers),
    qnn_requantizing("DepthToSpace"),
    qnn_with(qnn_movement("SpaceToDepth"), KernelQuirk::assumes_one_qparams),
};
/// Without weights of 16 bits.
template <std::size_t N, std::size_t M>
constexpr std::array<KernelDTypes, N> narrow_weights(const std::array<KernelDTypes, M>& dtypes) {
  std::array<KernelDTypes, N> narrow{};
  std::size_t count = 0;
  for (const KernelDTypes& entry : dtypes)
    if (bits(entry.weight) != 16) narrow.at(count++) = entry;
  return narrow;
}
inline constexpr std::array qnn_narrow_conv = narrow_weights<11>(qnn_conv_dtypes);
inline constexpr std::array qnn_narrow_products = narrow_weights<11>(qnn_product_dtypes);
inline constexpr std::array qnn_narrow_layers = narrow_weights<3>(qnn_layer_dtypes);
inline constexpr std::array qnn_narrow_batches = narrow_weights<4>(qnn_batch_dtypes);
inline constexpr std::array qnn_v69_matmuls = [] {
  std::array<KernelDTypes, qnn_narrow_products.size() + 1> all{};
  std::copy(qnn_narrow_products.begin(), qnn_narrow_products.end(), all.begin());
  all.back() = {DType::u16, DType::u16};  // of two computed factors
  return all;
}();
inline constexpr std::array qnn_v69_batch_lacks{LackedDTypes{.weight = DType::u16, .then = Lacking::refused},
                                                LackedDTypes{.weight = DType::i16, .then = Lacking::refused},
                                                LackedDTypes{.then = Lacking::left_out}};
inline constexpr std::array qnn_v69_kernels = [] {
  auto kernels = qnn_kernels;
  for (IntegerKernel& kernel : kernels) {
    const bool is_conv = kernel.op == "Conv" || kernel.op == "ConvTranspose";
    if (is_conv) kernel.dtypes = qnn_narrow_conv;
    if (kernel.op == "Gemm") kernel.dtypes = qnn_narrow_products;
    if (kernel.op == "MatMul") {
      kernel.dtypes = qnn_v69_matmuls;
      kernel.quirks = kernel.quirks.with(KernelQuirk::computed_16_bit_weight);
    }
    if (is_conv || kernel.op == "Gemm" || kernel.op == "MatMul")
      kernel.quirks = kernel.quirks.with(KernelQuirk::coarse_16_bits);
    if (kernel.op == "LayerNormalization") kernel.dtypes = qnn_narrow_layers;
    if (kernel.op != "BatchNormalization") continue;
    kernel.dtypes = qnn_narrow_batches;
    kernel.lacks_dtypes = qnn_v69_batch_lacks;
  }
  return kernels;
}();
/// Weights in blocks would be computed in float.
inline constexpr std::array qnn_v68_conv_lacks{
    LackedDTypes{.then = Lacking::refused, .form = LackedWeight::blocks},
    LackedDTypes{DType::i8, DType::undefined, Lacking::in_float},
    LackedDTypes{.then = Lacking::refused}};
inline constexpr std::array qnn_v68_product_lacks{
    LackedDTypes{.then = Lacking::left_out, .form = LackedWeight::blocks},
    LackedDTypes{DType::i8, DType::undefined, Lacking::in_float},
    LackedDTypes{.then = Lacking::left_out}};
inline constexpr std::array qnn_v68_kernels = [] {
  auto kernels = qnn_v69_kernels;
  for (IntegerKernel& kernel : kernels) {
    if (kernel.op == "Conv" || kernel.op == "ConvTranspose") kernel.lacks_dtypes = qnn_v68_conv_lacks;
    if (kernel.op == "MatMul" || kernel.op == "Gemm") kernel.lacks_dtypes = qnn_v68_product_lacks;
  }
  return kernels;
}();

inline constexpr std::array qnn_fused{FusedOperator{"LayerNormalization"}, FusedOperator{"Gelu"}};

/// In 16-bit floats, beside those with an integer kernel.
inline constexpr auto qnn_float_operators = std::to_array<std::string_view>({
    "Mish", "Selu", "ThresholdedRelu", "LpPool", "TopK", "ReduceL2", "Sum", "LSTM", "GRU", "Erf", "Cast", "Dropout",
    "Not", "And", "Or", "Xor", "Tan", "Mod", "Mean", "GatherND", "ScatterND", "ScatterElements",
    "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul", "com.microsoft::QuickGelu", "com.microsoft::MatMulNBits",
    "com.microsoft::Gelu", "com.microsoft::DequantizeLinear", "com.microsoft::QuantizeLinear", "STFT", "Upsample",
    "Shape"});
/// The same without MatMulNBits.
inline constexpr std::array qnn_v68_float_operators = [] {
  std::array<std::string_view, qnn_float_operators.size() - 1> kept{};
  std::copy_if(qnn_float_operators.begin(), qnn_float_operators.end(), kept.begin(),
               [](std::string_view op) { return op != "com.microsoft::MatMulNBits"; });
  return kept;
}();
inline constexpr auto qnn_v68_refused_in_float = std::to_array<std::string_view>(
    {"Atan", "CumSum", "Elu", "Erf", "GRU", "Gather", "Gelu", "GridSample", "HardSigmoid", "InstanceNormalization",
     "LSTM", "LpNormalization", "Round", "ScatterND", "Selu", "ThresholdedRelu", "Where", "com.microsoft::Gelu"});
inline constexpr std::array<std::string_view, 1> qnn_refused_operators{"GroupNormalization"};
inline constexpr std::array<std::string_view, 8> qnn_refused_on_integers{
    "Conv", "ConvTranspose", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "InstanceNormalization",
    "Resize"};

}  // namespace detail

namespace targets {

inline constexpr Target qnn_htp{
    .name = "qnn-htp",
    .activation = DType::u8,
    .kernels = detail::qnn_kernels,
    .quantize = {},
    .dequantize = {},
    .activations = detail::ort_activations,
    .fused_operators = {"qnn-htp", detail::qnn_fused},
    .quirks = {Quirk::static_shapes, Quirk::refuses_computed_qparams, Quirk::refuses_channel_scales,
               Quirk::lone_dequantizers_of_one_scale, Quirk::leaves_out_lone_quantizers,
               Quirk::leaves_out_bare_integers, Quirk::assumes_equal_pairs, Quirk::keeps_tables_in_float,
               Quirk::quantizes_compositions, Quirk::converts_operands},
    .quantizers_pass = detail::ort_quantizers_pass,
    .float_operators = detail::qnn_float_operators,
    .refused_operators = detail::qnn_refused_operators,
    .refused_on_integers = detail::qnn_refused_on_integers,
    .max_rank = 5,
    .opset = 21,
};

inline constexpr Target qnn_htp_v69 = [] {
  Target target = qnn_htp;
  target.name = "qnn-htp-v69";
  target.kernels = detail::qnn_v69_kernels;
  return target;
}();
inline constexpr Target qnn_htp_v68 = [] {
  Target target = qnn_htp;
  target.name = "qnn-htp-v68";
  target.kernels = detail::qnn_v68_kernels;
  target.float_operators = detail::qnn_v68_float_operators;
  target.refused_in_float = detail::qnn_v68_refused_in_float;
  return target;
}();

}  // namespace targets
}  // namespace graft::inline v1
