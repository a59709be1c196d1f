#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include <graft/graph/infer/attention.hpp>
#include <graft/graph/infer/concat.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/contrib.hpp>
#include <graft/graph/infer/control_flow.hpp>
#include <graft/graph/infer/conv.hpp>
#include <graft/graph/infer/create.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/einsum.hpp>
#include <graft/graph/infer/elementwise.hpp>
#include <graft/graph/infer/elementwise_contents.hpp>
#include <graft/graph/infer/expand.hpp>
#include <graft/graph/infer/gather.hpp>
#include <graft/graph/infer/image.hpp>
#include <graft/graph/infer/loss.hpp>
#include <graft/graph/infer/matmul.hpp>
#include <graft/graph/infer/normalization.hpp>
#include <graft/graph/infer/pool.hpp>
#include <graft/graph/infer/quantization.hpp>
#include <graft/graph/infer/recurrent.hpp>
#include <graft/graph/infer/reduce.hpp>
#include <graft/graph/infer/reshape.hpp>
#include <graft/graph/infer/resize.hpp>
#include <graft/graph/infer/selection.hpp>
#include <graft/graph/infer/sequence.hpp>
#include <graft/graph/infer/signal.hpp>
#include <graft/graph/infer/slice.hpp>
#include <graft/graph/infer/text.hpp>
#include <graft/graph/infer/transpose.hpp>

namespace graft::inline v1::infer {

/// The source of an output's contents.
enum class From { contents, shape };

/// The inference of an operator: of its output types and, for some operators, of its output contents.
struct OperatorRule {
  std::string_view op_type;
  Verdict (*types)(InferContext&);
  std::optional<Contents> (*contents)(const InferContext&) = nullptr;
  From contents_from = From::contents;
};

/// Sorted by name.
inline constexpr OperatorRule main_domain[] = {
    {"Abs", same_shape, absolute_contents},
    {"Acos", same_shape},
    {"Acosh", same_shape},
    {"Add", binary, sum_contents},
    {"AffineGrid", affine_grid},
    {"And", binary, comparison_contents<logical_and>},
    {"ArgMax", arg_extreme},
    {"ArgMin", arg_extreme},
    {"Asin", same_shape},
    {"Asinh", same_shape},
    {"Atan", same_shape},
    {"Atanh", same_shape},
    {"Attention", attention},
    {"AveragePool", pool},
    {"BatchNormalization", batch_normalization},
    {"Bernoulli", random_like},
    {"BitCast", bit_cast},
    {"BitShift", binary},
    {"BitwiseAnd", binary},
    {"BitwiseNot", same_shape},
    {"BitwiseOr", binary},
    {"BitwiseXor", binary},
    {"BlackmanWindow", signal_window},
    {"Cast", cast, cast_contents},
    {"CastLike", same_shape},
    {"Ceil", same_shape},
    {"Celu", same_shape},
    {"CenterCropPad", center_crop_pad},
    {"Clip", same_shape},
    {"Col2Im", col2im},
    {"Compress", compress},
    {"Concat", concat, concat_contents},
    {"ConcatFromSequence", concat_from_sequence},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape, constant_of_shape_contents},
    {"Conv", conv},
    {"ConvInteger", conv},
    {"ConvTranspose", conv_transpose},
    {"Cos", same_shape},
    {"Cosh", same_shape},
    {"CumProd", cumulative},
    {"CumSum", cumulative},
    {"DFT", dft},
    {"DeformConv", conv},
    {"DepthToSpace", depth_to_space},
    {"DequantizeLinear", dequantize_linear},
    {"Det", determinant},
    {"Div", binary, binary_contents<divide>},
    {"Dropout", dropout},
    {"DynamicQuantizeLinear", dynamic_quantize_linear},
    {"Einsum", einsum},
    {"Elu", same_shape},
    {"Equal", binary, comparison_contents<equal>},
    {"Erf", same_shape},
    {"Exp", same_shape},
    {"Expand", expand, expand_contents},
    {"EyeLike", random_like},
    {"Flatten", flatten, flatten_contents},
    {"Floor", same_shape},
    {"GRU", recurrent},
    {"Gather", gather, gather_contents},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gelu", same_shape},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool},
    {"GlobalLpPool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"Greater", binary, comparison_contents<greater>},
    {"GreaterOrEqual", binary, comparison_contents<greater_or_equal>},
    {"GridSample", grid_sample},
    {"GroupNormalization", group_normalization},
    {"HammingWindow", signal_window},
    {"HannWindow", signal_window},
    {"HardSigmoid", same_shape},
    {"HardSwish", same_shape},
    {"Hardmax", along_axis},
    {"Identity", same_type, same_contents},
    {"If", if_branches},
    {"ImageDecoder", image_decoder},
    {"InstanceNormalization", same_shape},
    {"IsInf", same_shape},
    {"IsNaN", same_shape},
    {"LRN", local_response},
    {"LSTM", recurrent},
    {"LayerNormalization", layer_normalization},
    {"LeakyRelu", same_shape},
    {"Less", binary, comparison_contents<less>},
    {"LessOrEqual", binary, comparison_contents<less_or_equal>},
    {"Log", same_shape},
    {"LogSoftmax", along_axis},
    {"Loop", loop},
    {"LpNormalization", along_axis},
    {"LpPool", pool},
    {"MatMul", matmul},
    {"MatMulInteger", matmul},
    {"Max", variadic, extreme_contents<larger>},
    {"MaxPool", pool},
    {"MaxRoiPool", max_roi_pool},
    {"MaxUnpool", max_unpool},
    {"Mean", variadic},
    {"MeanVarianceNormalization", same_shape},
    {"MelWeightMatrix", mel_weight_matrix},
    {"Min", variadic, extreme_contents<smaller>},
    {"Mish", same_shape},
    {"Mod", binary, modulo_contents},
    {"Mul", binary, binary_contents<multiply>},
    {"Multinomial", multinomial},
    {"Neg", same_shape, negated_contents},
    {"NegativeLogLikelihoodLoss", loss},
    {"NonMaxSuppression", non_max_suppression},
    {"NonZero", non_zero},
    {"Not", same_shape, not_contents},
    {"OneHot", one_hot},
    {"Optional", optional},
    {"OptionalGetElement", optional_get_element},
    {"OptionalHasElement", scalar},
    {"Or", binary, comparison_contents<logical_or>},
    {"PRelu", same_shape},
    {"Pad", pad},
    {"Pow", binary},
    {"QLinearConv", qlinear_conv},
    {"QLinearMatMul", qlinear_matmul},
    {"QuantizeLinear", quantize_linear},
    {"RMSNormalization", same_shape},
    {"RNN", recurrent},
    {"RandomNormal", random},
    {"RandomNormalLike", random_like},
    {"RandomUniform", random},
    {"RandomUniformLike", random_like},
    {"Range", range, range_contents},
    {"Reciprocal", same_shape},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ReduceMax", reduce, reduced_contents<larger>},
    {"ReduceMean", reduce},
    {"ReduceMin", reduce, reduced_contents<smaller>},
    {"ReduceProd", reduce, reduced_contents<multiply>},
    {"ReduceSum", reduce, reduced_contents<add>},
    {"ReduceSumSquare", reduce},
    {"RegexFullMatch", same_shape},
    {"Relu", same_shape},
    {"Reshape", reshape, reshape_contents},
    {"Resize", resize},
    {"ReverseSequence", same_shape},
    {"RoiAlign", roi_align},
    {"RotaryEmbedding", same_shape},
    {"Round", same_shape},
    {"STFT", stft},
    {"Scan", scan},
    {"Scatter", along_axis},
    {"ScatterElements", along_axis},
    {"ScatterND", same_shape},
    {"Selu", same_shape},
    {"SequenceAt", sequence_at},
    {"SequenceConstruct", sequence_construct},
    {"SequenceEmpty", sequence_empty},
    {"SequenceErase", same_type},
    {"SequenceInsert", sequence_insert},
    {"SequenceLength", scalar},
    {"SequenceMap", sequence_map},
    {"Shape", shape, shape_contents, From::shape},
    {"Shrink", same_shape},
    {"Sigmoid", same_shape},
    {"Sign", same_shape},
    {"SimplifiedLayerNormalization", layer_normalization},
    {"Sin", same_shape},
    {"Sinh", same_shape},
    {"Size", scalar, size_contents, From::shape},
    {"Slice", slice, slice_contents},
    {"Softmax", along_axis},
    {"SoftmaxCrossEntropyLoss", loss},
    {"Softplus", same_shape},
    {"Softsign", same_shape},
    {"SpaceToDepth", space_to_depth},
    {"Split", split, split_contents},
    {"SplitToSequence", split_to_sequence},
    {"Sqrt", same_shape},
    {"Squeeze", squeeze, squeeze_contents},
    {"StringConcat", binary},
    {"StringNormalizer", string_normalizer},
    {"StringSplit", string_split},
    {"Sub", binary, difference_contents},
    {"Sum", variadic},
    {"Swish", same_shape},
    {"Tan", same_shape},
    {"Tanh", same_shape},
    {"TensorScatter", same_shape},
    {"TfIdfVectorizer", tf_idf_vectorizer},
    {"ThresholdedRelu", same_shape},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Trilu", same_shape},
    {"Unique", unique},
    {"Unsqueeze", unsqueeze, unsqueeze_contents},
    {"Upsample", upsample},
    {"Where", where, where_contents},
    {"Xor", binary},
};

/// Operators of com.microsoft. Sorted by name.
inline constexpr OperatorRule microsoft_domain[] = {
    {"Attention", contrib::attention},
    {"BiasGelu", same_shape},
    {"DequantizeLinear", dequantize_linear},
    {"DynamicQuantizeLSTM", transposed_recurrent},
    {"DynamicQuantizeMatMul", matmul},
    {"EmbedLayerNormalization", contrib::embed_layer_normalization},
    {"FastGelu", same_shape},
    {"FusedConv", conv},
    {"FusedGemm", gemm},
    {"FusedMatMul", contrib::fused_matmul},
    {"Gelu", same_shape},
    {"GroupNorm", same_shape},
    {"GroupQueryAttention", contrib::group_query_attention},
    {"MatMulIntegerToFloat", matmul},
    {"MatMulNBits", contrib::matmul_nbits},
    {"MultiHeadAttention", contrib::multi_head_attention},
    {"NhwcMaxPool", contrib::nhwc_pool},
    {"QAttention", contrib::attention},
    {"QGemm", contrib::qgemm},
    {"QLinearAdd", contrib::qlinear_binary},
    {"QLinearAveragePool", pool},
    {"QLinearConcat", contrib::qlinear_concat},
    {"QLinearConv", qlinear_conv},
    {"QLinearGlobalAveragePool", global_pool},
    {"QLinearLeakyRelu", same_shape},
    {"QLinearMul", contrib::qlinear_binary},
    {"QLinearReduceMean", contrib::qlinear_reduce},
    {"QLinearSigmoid", same_shape},
    {"QLinearSoftmax", same_shape},
    {"QLinearWhere", contrib::qlinear_where},
    {"QuantizeLinear", quantize_linear},
    {"QuickGelu", same_shape},
    {"RotaryEmbedding", same_shape},
    {"SkipLayerNormalization", contrib::skip_layer_normalization},
    {"SkipSimplifiedLayerNormalization", contrib::skip_layer_normalization},
};

/// The quantizers of QONNX, under each of the domains that QONNX has used.
inline constexpr OperatorRule qonnx_domain[] = {
    {"BipolarQuant", same_type},
    {"FloatQuant", same_type},
    {"IntQuant", same_type},
    {"Quant", same_type},
    {"Trunc", same_type},
};
inline constexpr std::string_view qonnx_domains[] = {
    "finn.custom_op.general",
    "onnx.brevitas",
    "qonnx.custom_op.general",
};

constexpr bool before_by_name(const OperatorRule& a, const OperatorRule& b) { return a.op_type < b.op_type; }

/// The rule of an operator; nullptr if graft does not know the operator.
inline const OperatorRule* find_rule(std::string_view domain, std::string_view op_type) {
  using Rule = OperatorRule;
  constexpr auto is_sorted = [](const auto& rules) {
    return std::is_sorted(std::begin(rules), std::end(rules), before_by_name);
  };
  static_assert(is_sorted(main_domain));
  static_assert(is_sorted(microsoft_domain));
  static_assert(is_sorted(qonnx_domain));
  std::span<const Rule> rules;
  if (domain.empty()) {
    rules = main_domain;
  } else if (domain == "com.microsoft") {
    rules = microsoft_domain;
  } else if (std::find(std::begin(qonnx_domains), std::end(qonnx_domains), domain) != std::end(qonnx_domains)) {
    rules = qonnx_domain;
  }
  const auto found = std::lower_bound(rules.begin(), rules.end(), Rule{op_type, nullptr}, before_by_name);
  return found != rules.end() && found->op_type == op_type ? &*found : nullptr;
}

}  // namespace graft::inline v1::infer
