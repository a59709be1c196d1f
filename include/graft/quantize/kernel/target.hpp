#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/kernel/fault.hpp>
#include <graft/quantize/kernel/kernel_cost.hpp>
#include <graft/quantize/kernel/quirk_set.hpp>
#include <graft/quantize/kernel/release.hpp>
#include <graft/quantize/kernel/weight_kernels.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

/// When an activation between an integer kernel and the QuantizeLinear behind it vanishes into the kernel.
enum class Fuses : std::uint8_t {
  always,
  when_redundant,  ///< if what Q can represent lies inside the activation's bounds, so that Q alone does its work
};

/// Which of its inputs comes from the kernel.
enum class FusedInput : std::uint8_t {
  only,    ///< the first; others are constants that belong to the operator
  first,   ///< the first of two tensors: Sub
  either,  ///< one or the other of two tensors: Add
  gated,   ///< one of two, of which the other is constant or an activation of the first: x * Sigmoid(x)
};

struct FusedActivation {
  std::string_view op;  ///< "Relu", "domain::Op"
  Fuses when = Fuses::always;
  FusedInput input = FusedInput::only;
};

/// Which zero points and signs a runtime takes of activations.
enum class ZeroPoints : std::uint8_t {
  free,              ///< any zero point; all tensors have the target's dtype
  zero_either_sign,  ///< 0; a tensor is unsigned if none of its values is negative, else signed
  zero,              ///< 0; all tensors have the target's dtype, which is signed, and a symmetric range
};

/// Dtypes of activation and weight that an integer kernel takes together.
struct KernelDTypes {
  DType activation = DType::u8;
  DType weight = DType::i8;  ///< where there is one
};

/// What an integer kernel asks of its operands and its result.
enum class KernelForm : std::uint8_t {
  weighted,      ///< a tensor, a weight, and perhaps a bias: Conv, Gemm, MatMul, LayerNormalization with its scale
  elementwise,   ///< tensors and a result of one dtype, each with q-params of its own
  passthrough,   ///< values are moved or chosen, not computed: the results have the q-params of the tensor
  one_qparams,   ///< tensors and a result of one dtype, all with the same q-params; left alone by placement
  none,          ///< no kernel for the operator, which may compute on integers all the same
  one_dtype [[deprecated("use elementwise")]] = elementwise,
  same_qparams [[deprecated("use passthrough")]] = passthrough,
};

/// An attribute that is given; with a text or number, one that has this value; a list with a number that is not `but`.
struct AttributeCondition {
  std::string_view name{};
  std::string_view text{};
  std::optional<std::int64_t> number{};
  std::optional<std::int64_t> but{};
};

/// What a runtime does with an operator between quantizers whose attributes its integer kernel lacks.
enum class Lacking : std::uint8_t {
  refused,      ///< it does not take the model
  left_out,     ///< it leaves the operator to another backend
  miscomputed,  ///< it takes the kernel all the same, and computes something else or fails then
  rounded_down,  ///< it takes the kernel, whose results are rounded down instead of to the nearest step
  in_float,     ///< it does not take the kernel
};

/// Attributes that an integer kernel lacks, together if there are two, since a version of the opset, unless a third is
/// given.
struct LackedAttributes {
  AttributeCondition one, other{};
  int since = 0;
  Lacking then = Lacking::refused;
  AttributeCondition unless{};
};

/// In what an integer kernel differs from one that takes and gives quantized tensors alone.
enum class KernelQuirk : std::uint8_t {
  float_output,             ///< it can also give its result in float
  float_beside_quantizers,  ///< and does so where a quantizer is among several readers of the result, or does not fit
  merges_with_add,          ///< the runtime makes a Gemm of it and the Add that reads its float result, with float bias
  fuses_no_activations,     ///< no activation vanishes into it
  symmetric_weight,         ///< the runtime refuses the kernel if the zero point of the weight is not 0
  takes_no_factor,          ///< the product is not multiplied by a number: alpha of a Gemm must be 1
  quantizes_constants,      ///< float weights and biases behind quantized inputs are quantized when the model is loaded
  refuses_lists,            ///< scales of rank 1 make the runtime refuse the model
  requantizes,              ///< it moves values to the q-params of the result; operands that have these cost nothing
  constant_weight,          ///< a second factor that is computed leaves it in float
  mixes_dtypes,             ///< operands may differ in dtype
  passes_dequantizers,      ///< a DequantizeLinear in front is taken behind it, for any readers of the result
  passes_quantizers,        ///< a QuantizeLinear behind is taken to its operands, quantized or not
  zero_points_by_channel,   ///< channels of its weight may differ in zero point
  needs_zero_points,        ///< operands that state no zero point leave it in float
  no_factor_with_bias,      ///< with a bias, so does an alpha of a Gemm that is not 1
  checks_bias_scale,        ///< a scale of the bias that is not that of the products leaves it in float
  checks_axis,              ///< scales of the weight along another axis than that of the results leave it in float
  checks_quantized_axis,    ///< they do where its result is quantized
  lists_in_float,           ///< scales of rank 1 leave it in float
  zero_point_zero,          ///< a zero point of its tensor other than 0 leaves it in float: Target::zero_points for one
  merges_constants,         ///< a constant operand is merged into the operator in front: placement leaves it in float
  symmetric_factors,        ///< with constant_weight: not if both have the zero point 0, a second one of u8 128
  slow_if_small,            ///< matrices of few rows or columns and convolutions of few channels are as fast in float
  masked_in_float,          ///< integer factors of attention with a computed mask, or over 512 positions, stay in float
  symmetric_channels,       ///< channels with a zero point other than the middle make the runtime refuse the model
  leaves_out_zero_points,   ///< the backend leaves it out with such channels
  own_weight_dtype,         ///< its weight need not have the target's dtype
  one_weight_scale,         ///< the backend leaves it out with a weight of several scales
  leaves_out_axes,          ///< the backend leaves it out with weight scales along an axis other than that of results
  needs_quantizer,          ///< the backend leaves it out without a quantizer behind it
  constant_16_bit_weight,   ///< the backend leaves it out with a computed second factor of 16 bits
  symmetric_16_bit_weight,  ///< the backend leaves it out with an int16 weight and a zero point other than 0
  narrows_factors,          ///< a second factor of uint16 is computed with 8 bits
  no_bias_beside_4_bits,    ///< with a bias and a weight of 4 bits and one scale the runtime refuses the model
  transposed_weight,        ///< its weight may be moved by Transpose alone
  requantizes_bias,         ///< the bias may have any scale beside a weight of one scale, or with a zero point
  requantizes_8_bit_biases, ///< and any scales beside activations of 8 bits
  miscomputes_int32_bias,   ///< an int32 bias is miscomputed; with one of int8 the backend leaves it out
  takes_float_bias,         ///< its bias may be float
  exact_operands,           ///< further operands leave it in float
  lowest_zero_point,        ///< an int8 result with a zero point other than -128 is miscomputed
  last_axis,                ///< of 8 bits, it is computed along the last axis
  assumes_one_qparams,      ///< it takes the q-params of its operand for those of its result
  refuses_channel_slope,    ///< slopes of 16 bits that do not lie along the last axis make the runtime refuse the model
  leaves_out_factors,       ///< the backend leaves it out with an alpha or beta of a Gemm that is not 1
  no_signed_depthwise,      ///< with int16 and one channel in each group the runtime refuses the model
  unmoved_weight,           ///< a constant weight that is moved behind its DequantizeLinear leaves it in float
  behind_conv,              ///< a pair in front is for the Conv that makes its input, which then gives integers
  factors_apart,            ///< an alpha or beta of a Gemm that is not 1 is an operator of its own
  fuses_pads,               ///< a Pad by zeros in front of it is fused, unless a pair stands between them
  depthwise_without_gates,  ///< with one channel in each group x * Sigmoid(x) behind it may not be fused
  computed_16_bit_weight,   ///< the backend leaves it out with a constant weight of 16 bits
  coarse_16_bits,           ///< results of 16 bits are off by several steps
};

/// Dtypes that the kernel lacks although the runtime selects it: of activations, of the weight, and by how the weight
/// is dequantized. DType::undefined is any.
struct LackedDTypes {
  enum class Weight : std::uint8_t { any, blocks, pointwise_blocks };

  DType activation = DType::undefined, weight = DType::undefined;
  Lacking then = Lacking::refused;
  Weight form = Weight::any;
};

/// Those of kernels that have a weight.
inline constexpr QuirkSet quirks_of_weights{
    KernelQuirk::merges_with_add,   KernelQuirk::symmetric_weight,       KernelQuirk::takes_no_factor,
    KernelQuirk::constant_weight,   KernelQuirk::zero_points_by_channel, KernelQuirk::needs_zero_points,
    KernelQuirk::checks_bias_scale, KernelQuirk::no_factor_with_bias,    KernelQuirk::quantizes_constants,
    KernelQuirk::checks_axis,       KernelQuirk::checks_quantized_axis,  KernelQuirk::zero_point_zero,
    KernelQuirk::symmetric_factors, KernelQuirk::slow_if_small,          KernelQuirk::masked_in_float,
    KernelQuirk::symmetric_channels, KernelQuirk::leaves_out_zero_points,
    KernelQuirk::own_weight_dtype, KernelQuirk::one_weight_scale, KernelQuirk::leaves_out_axes,
    KernelQuirk::needs_quantizer, KernelQuirk::constant_16_bit_weight, KernelQuirk::symmetric_16_bit_weight,
    KernelQuirk::narrows_factors, KernelQuirk::no_bias_beside_4_bits, KernelQuirk::transposed_weight,
    KernelQuirk::requantizes_bias, KernelQuirk::requantizes_8_bit_biases, KernelQuirk::miscomputes_int32_bias,
    KernelQuirk::takes_float_bias, KernelQuirk::leaves_out_factors, KernelQuirk::no_signed_depthwise,
    KernelQuirk::unmoved_weight, KernelQuirk::factors_apart,
    KernelQuirk::computed_16_bit_weight, KernelQuirk::coarse_16_bits};

/// An operator that the runtime computes in integers when its operands and results are quantized. A table states the
/// operator, its dtypes and, unless it has a weight, its form and operands; costs if placement is to weigh them; the
/// rest where the kernel differs from the default.
struct IntegerKernel {
  std::string_view op;  ///< "Conv", "domain::Op"
  /// One of these must be the dtypes of the target's activations and, where there is one, weights.
  std::span<const KernelDTypes> dtypes;
  constexpr bool takes(DType activation) const {
    return std::any_of(dtypes.begin(), dtypes.end(),
                       [=](const KernelDTypes& entry) { return entry.activation == activation; });
  }
  constexpr bool takes(DType activation, DType weight) const {
    return std::any_of(dtypes.begin(), dtypes.end(), [=](const KernelDTypes& entry) {
      return entry.activation == activation && entry.weight == weight;
    });
  }
  KernelForm form = KernelForm::weighted;
  /// Which inputs are quantized where no weight is among them; the others are indices, conditions, sizes.
  std::size_t first_operand = 0, operands = 1;
  /// Versions of the opset with which the runtime knows the operator, both ends included.
  int since = 0, until = std::numeric_limits<int>::max();
  constexpr bool serves(int opset) const { return since <= opset && opset <= until; }
  /// By which min-cost placement decides. Unless measured, as the bytes of 8 bits are to those of float32.
  KernelCost in_float{.element = 4, .product = 4}, in_integers{.element = 1, .product = 1};
  /// Of a depthwise convolution: each group has one channel and one filter; the same if not given.
  std::optional<KernelCosts> few_channels{};
  /// Of a convolution of one group with fewer than 4 input channels, over an image; as `few_channels` if not given.
  std::optional<KernelCosts> first_layer{};
  /// What it takes more in float where its input is dequantized and the runtime must not quantize its weight.
  KernelCost guard_cost{};
  /// What it takes more in integers where the producer of its first operand is in float. The products of a pool are
  /// the elements of its windows.
  KernelCost float_input_cost{};

  QuirkSet<KernelQuirk> quirks{};
  constexpr bool has(KernelQuirk quirk) const { return quirks.contains(quirk); }
  /// The dtype of a weight beside these activations: the target's, or the first that the kernel takes.
  constexpr DType weight_beside(DType activation, DType wanted) const {
    if (takes(activation, wanted) || !has(KernelQuirk::own_weight_dtype)) return wanted;
    for (const KernelDTypes& entry : dtypes)
      if (entry.activation == activation) return entry.weight;
    return wanted;
  }
  constexpr bool fuses_activations() const { return !has(KernelQuirk::fuses_no_activations); }
  constexpr bool takes_factor(bool beside_bias) const {
    return !has(KernelQuirk::takes_no_factor) && !(beside_bias && has(KernelQuirk::no_factor_with_bias));
  }
  /// Of a quantized result, where it need not be that of the input.
  std::span<const DType> output_dtypes{};
  /// Operators that may move its result, one of them, between it and the QuantizeLinear.
  std::span<const std::string_view> moved_by{};
  std::span<const LackedAttributes> lacks{};
  /// The first that an operator has decides; other dtypes that the kernel does not take leave it in float.
  std::span<const LackedDTypes> lacks_dtypes{};
  /// What a result can reach, where the kernel does not saturate: Q must be able to represent it.
  float unsaturated_up_to = 0;
  /// By which factor the scales of operand and result must differ less, the former divided by the elements of a mean.
  float scale_ratio = 0;
};

inline constexpr std::size_t all_operands = std::numeric_limits<std::size_t>::max();

/// An operator that the runtime computes on integers as they are, without quantizers around it.
struct IntegerOperator {
  std::string_view op;
  std::span<const DType> dtypes;
};

namespace detail {

inline constexpr std::array signed_up_to_16{DType::i8, DType::i16};
inline constexpr std::array up_to_16{DType::u8, DType::i8, DType::u16, DType::i16};
/// What ONNX defines: Relu since version 14, Clip since 12, data movement always.
inline constexpr std::array onnx_integer_operators{
    IntegerOperator{"Relu", signed_up_to_16},      IntegerOperator{"Clip", up_to_16},
    IntegerOperator{"Transpose", up_to_16},    IntegerOperator{"Reshape", up_to_16},
    IntegerOperator{"Flatten", up_to_16},      IntegerOperator{"Squeeze", up_to_16},
    IntegerOperator{"Unsqueeze", up_to_16},    IntegerOperator{"Slice", up_to_16},
    IntegerOperator{"Gather", up_to_16},       IntegerOperator{"Expand", up_to_16},
    IntegerOperator{"Tile", up_to_16},         IntegerOperator{"Identity", up_to_16},
    IntegerOperator{"DepthToSpace", up_to_16}, IntegerOperator{"SpaceToDepth", up_to_16}};

}  // namespace detail

enum class BiasForm : std::uint8_t {
  int32,    ///< dequantized from int32 with the scales of input and weight multiplied
  float32,  ///< as it was
};

/// In what a runtime differs from one that takes every model as ONNX defines it.
enum class Quirk : std::uint8_t {
  refuses_half_step_beyond,  ///< Q that reaches beyond an activation's bounds, by less than half a step, is refused
  converts_int8_to_uint8,    ///< pairs of int8 are turned into uint8 before kernels are chosen
  does_not_simplify,         ///< constants are not computed, nor equal quantizers merged, before kernels are chosen
  unshared_dequantizers,     ///< a DequantizeLinear serves one kernel and nothing else; placement gives each its own
  constant_qparams_only,     ///< q-params must not be computed at run time
  keeps_tables_in_float,     ///< tables that Gather reads are not to be quantized
  falls_back_to_float,       ///< what a kernel cannot compute is computed in float, not refused or miscomputed
  drops_half_step_beyond,    ///< an activation beyond whose bounds Q reaches by less than half a step vanishes
  pairs_on_one_branch,       ///< a sum that is fused needs a pair on its other branch, none on that from the kernel
  pairs_on_inputs,           ///< kernels give integers where the next one reads them: results get no pair of their own
  refuses_zero_points,       ///< quantizers whose zero point is computed, or not 0
  refuses_unstated_dtypes,   ///< a QuantizeLinear that states no dtype is taken for int8 instead of uint8
  refuses_unstated_axes,     ///< scales of rank 1 without an axis are taken along different ones by its releases
  refuses_unusual_scales,    ///< scales that are not positive, of unknown shape, or in blocks of other than last axes
  refuses_uint8,             ///< uint8 tensors that are neither output of the graph nor an input that Cast reads
  refuses_integer_operators,  ///< operators of ONNX on integers, such as QLinearConv
  refuses_other_domains,     ///< operators of other domains, which are looked up by their name alone
  refuses_unusual_pools,     ///< pools of one axis, with dilations, or that give indices
  refuses_unusual_resizes,   ///< with antialias, or that keep the aspect ratio
  static_shapes,             ///< the backend leaves out operators with extents that are not known
  refuses_computed_qparams,  ///< q-params that are computed make it refuse the model
  refuses_channel_scales,    ///< so do scales for each channel of activations
  lone_dequantizers_of_one_scale,  ///< it leaves out a DequantizeLinear of int32, channels or blocks beside no kernel
  leaves_out_lone_quantizers,  ///< it leaves out a quantizer between an input and an output of the graph
  leaves_out_bare_integers,  ///< it leaves out operators on quantized tensors without a DequantizeLinear
  quantizes_compositions,    ///< its kernels of normalizations, Gelu and Softmax are for integers
  whole_probabilities,       ///< a Softmax of f8e4m3fn has the range [0, 1], whatever samples show
  converts_operands,         ///< a pair behind another one converts a tensor, to the dtype that a kernel takes
  assumes_equal_pairs,       ///< it takes q-params of a DequantizeLinear for those of the QuantizeLinear in front
  refuses_unusual_attention, ///< Attention of other than rank 4, or with past or present keys
  scaled_queries,            ///< attention of f8e4m3fn is fused with its factor on the queries and its result quantized
  refuses_half_with_cache,   ///< attention of float16 fails with a key-value cache in integers
  refuses_moved_integers,    ///< quantized tensors that are moved without a DequantizeLinear in front
};

/// In what a kernel of a later release differs: what is given replaces what was.
struct KernelChange {
  Release since;
  std::string_view op;
  QuirkSet<KernelQuirk> gains{}, loses{};
  std::optional<int> until{};  ///< of the opset
  std::optional<std::span<const LackedAttributes>> lacks{};
};

/// In what all of a later release differs.
struct TargetChange {
  Release since;
  QuirkSet<Quirk> gains{}, loses{};
  std::optional<std::span<const BlockKernel>> block_kernels{};
  std::optional<std::span<const int>> cache_bits{};
};

/// A description of a runtime. Placement, commutation, the fitting of scales and the audit all read it. A new runtime
/// is a table like those in quantize/target/; it needs code only where it differs in a way that no entry describes. A
/// table states its name, dtypes and kernels, the activations that vanish into these, and the quirks that it has. It is
/// constexpr: what its spans and views refer to must outlive it.
struct Target {
  std::string_view name;
  /// Of a JointTarget: those that it is the conjunction of. Placement keeps operators in float that one of them would
  /// miscompute between quantizers.
  std::span<const Target* const> parts{};

  /// How tensors between operators are quantized.
  DType activation = DType::u8;
  /// A kernel is used for no others. Fuses::when_redundant removes a Relu only if the zero point is the lowest value,
  /// which ZeroPoints::zero rules out.
  ZeroPoints zero_points = ZeroPoints::free;
  DType weight = DType::i8;
  /// Of its 8 bits, those that a signed weight may take without sums of two products saturating; a depthwise
  /// convolution sums none so.
  int weight_bits = 8;
  BiasForm bias = BiasForm::int32;

  std::span<const IntegerKernel> kernels{};
  /// What quantize_dynamic() may use, and quantize_weights_blockwise().
  std::span<const DynamicKernel> dynamic_kernels{};
  std::span<const BlockKernel> block_kernels{};
  /// Of the key-value caches that com.microsoft's GroupQueryAttention takes in integers, for quantize_cache().
  std::span<const int> cache_bits{};
  /// Of com.microsoft's MatMulNBits with blocks of 32 and accuracy level 4, by bits. No product is chosen to be
  /// weight-only with bits that are not listed.
  std::span<const BlockCost> block_costs{};
  KernelCost quantize{.element = 2}, dequantize{.element = 2};
  /// What both take more where a convolution makes or reads the tensor, if its layouts differ in float and in integers.
  KernelCost relayout{};
  /// DynamicQuantizeLinear, which reads a tensor twice.
  KernelCost dynamic_quantize{.element = 3};
  /// Operators without an integer kernel, which take as long in a quantized model as in float: those that differ, and
  /// all others. The products of attention are those of queries, keys and values.
  std::span<const FloatCost> float_costs{};
  KernelCost other{};
  /// Those that are deferred: Q stands behind them and not before. Any other activation gets a pair on both sides.
  std::span<const FusedActivation> activations{};
  /// How many activations in a row a kernel computes; one that Q makes redundant is not among them.
  std::size_t fused_in_a_row = 1;

  /// What is made of primitives before a model is quantized: operators in float that hold no weight.
  FusedOperators fused_operators{};

  /// Below which a DequantizeLinear moves.
  std::span<const IntegerOperator> integer_operators = detail::onnx_integer_operators;

  QuirkSet<Quirk> quirks{};
  constexpr bool has(Quirk quirk) const { return quirks.contains(quirk); }
  /// Operators that quantizers are taken across, or that vanish, before kernels are chosen.
  std::span<const std::string_view> quantizers_pass{};
  /// Of QuantizeLinear and DequantizeLinear: others are refused. Any that ONNX has, if there are none. Those of 4 bits
  /// are for weights.
  std::span<const DType> quantizer_dtypes{};
  /// Of ONNX, that the runtime reads; any, if not given.
  int min_opset = 0, max_opset = std::numeric_limits<int>::max();
  /// Of a backend: what it computes in float without a kernel in integers, "domain::Op". It leaves out all others,
  /// unless the list is empty.
  std::span<const std::string_view> float_operators{};
  /// Operators without which alone it makes no session, and those that it does not leave out when it should.
  std::span<const std::string_view> refused_operators{}, refused_on_integers{};
  /// Operators that make it fail if they are computed in float.
  std::span<const std::string_view> refused_in_float{};
  /// The greatest rank of a tensor; 0: any.
  std::size_t max_rank = 0;
  /// The opset to which models are raised that are quantized for it.
  int opset = 13;
  /// How far, in values, Q may reach beyond an activation's bounds and still make it redundant.
  float redundancy_slack = 0;

  /// Placement avoids those of this processor, and audit() reports a model that runs into one.
  std::span<const KnownFault> faults{};
  Processor processor = Processor::any;
  constexpr bool has(Fault fault) const {
    return std::any_of(faults.begin(), faults.end(), [=, this](const KnownFault& known) {
      return known.fault == fault && (known.processor == Processor::any || known.processor == processor);
    });
  }

  /// The release of the runtime that all this was first measured on, and in what later ones differ, in their order:
  /// targets::at_release() applies it. Models for the first release run as well on the later ones.
  Release release{};
  std::span<const KernelChange> kernel_changes{};
  std::span<const TargetChange> changes{};
};

namespace detail {

/// Whether the kernels, or the activations, of a target have one of the operator.
template <class Entries>
bool has_entry(const Entries& entries, std::string_view op) {
  return std::any_of(entries.begin(), entries.end(), [op](const auto& entry) { return entry.op == op; });
}

}  // namespace detail

/// The target with tensors between operators in another dtype: int8, uint8, int16 and uint16, which need opset 21, or
/// f8e4m3fn, which needs opset 19; weights are f8e4m3fn with it, too. The dtypes that its kernels take stay: audit()
/// reports kernels that do not take this one. Throws Error for others.
constexpr Target with_activations(Target target, DType dtype) {
  const auto& dtypes = detail::up_to_16;
  const bool is_float8 = dtype == DType::f8e4m3fn;
  if (!is_float8 && std::find(dtypes.begin(), dtypes.end(), dtype) == dtypes.end())
    detail::raise(Error("activations are quantized to int8, uint8, int16, uint16 or f8e4m3fn").field("activation"));
  target.activation = dtype;
  if (is_float8) target.weight = dtype;
  return target;
}

}  // namespace graft::inline v1
