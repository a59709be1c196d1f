#include "evaluate/sample_nodes.hpp"

#include <cstdint>
#include <string_view>

#include <graft/graph/onnx.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor as(DType dtype, const Tensor& x) { return Tensor::of(dtype, x.dims(), x.to<double>()); }
Tensor bytes(Dims dims) { return as(DType::u8, counting(std::move(dims), 1)); }
Tensor integers(Dims dims, std::int64_t first = 0) {
  return as(DType::i64, counting(std::move(dims), static_cast<float>(first)));
}
Tensor flags(Dims dims) { return as(DType::boolean, counting(std::move(dims))); }
Tensor number(float value) { return Tensor::scalar(value); }
Tensor integer(std::int64_t value) { return Tensor::scalar(value); }
Tensor byte(std::uint8_t value) { return Tensor::scalar(value); }

/// A graph whose outputs are its inputs, except for the first few.
onnx::GraphProto passing(std::initializer_list<const char*> names, int dropped = 0) {
  onnx::GraphProto graph;
  graph.set_name("body");
  for (const std::string name : names) {
    graph.add_input()->set_name(name);
    if (dropped-- > 0) continue;
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Identity");
    node.add_input(name);
    node.add_output(name + "_out");
    graph.add_output()->set_name(name + "_out");
  }
  return graph;
}

/// The same with an output that does not depend on inputs.
onnx::GraphProto constant_branch() {
  onnx::GraphProto graph = passing({});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Constant");
  node.add_output("y");
  onnx::AttributeProto& value = *node.add_attribute();
  value.set_name("value_float");
  value.set_type(onnx::AttributeProto::FLOAT);
  value.set_f(1);
  graph.add_output()->set_name("y");
  return graph;
}

void add_elementwise(std::vector<SampleNode>& nodes) {
  const Tensor x = counting({2, 3}, -2), b = flags({2, 3}), i = integers({2, 3}, 1);
  for (const char* op : {"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Clip", "Cos",
                         "Cosh", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish", "Identity", "IsInf",
                         "IsNaN", "LeakyRelu", "Log", "Mish", "Neg", "Reciprocal", "Relu", "Round", "Selu", "Shrink",
                         "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt", "Tan", "Tanh",
                         "ThresholdedRelu", "com.microsoft::Gelu", "com.microsoft::FastGelu", "Hardmax", "LogSoftmax",
                         "Softmax", "LpNormalization", "NonZero", "Shape", "Size", "Flatten", "Transpose", "EyeLike",
                         "Trilu", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean",
                         "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "ArgMax", "ArgMin", "Squeeze"}) {
    nodes.push_back({op == std::string_view("Squeeze") || op == std::string_view("Gelu") ? 21 : 20, op, {x}});
  }
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "PRelu", "Min", "Max", "Mean", "Sum", "Equal", "Greater",
                         "GreaterOrEqual", "Less", "LessOrEqual", "Mod"}) {
    nodes.push_back({20, op, {x, counting({3}, 1)}, {}});
    nodes.push_back({20, op, {i, integers({3}, 1)}, {}});
  }
  for (const char* op : {"And", "Or", "Xor"}) nodes.push_back({20, op, {b, b}});
  for (const char* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) nodes.push_back({20, op, {i, i}});
  nodes.insert(nodes.end(), {
    {20, "Not", {b}},
    {20, "BitwiseNot", {i}},
    {20, "BitShift", {bytes({2, 3}), bytes({3})}, {{"direction", "LEFT"}}},
    {24, "Swish", {x}},
    {20, "Where", {b, x, counting({3})}},
    {20, "Clip", {x, number(-1), number(1)}},
    {20, "Mod", {x, counting({3}, 1)}, {{"fmod", 1}}},
    {21, "Cast", {x}, {{"to", 7}, {"saturate", 0}}},
    {26, "BitCast", {x}, {{"to", 6}}},
    {21, "CastLike", {x, bytes({1})}},
    {20, "Dropout", {x, number(0.5F)}, {}, 2},
    {1, "com.microsoft::BiasGelu", {x, counting({3})}},
    {1, "com.microsoft::QuickGelu", {x}, {{"alpha", 1.5}}},
  });
}

void add_movement(std::vector<SampleNode>& nodes) {
  const Tensor x = counting({2, 3}), image = counting({1, 4, 2, 2});
  nodes.insert(nodes.end(), {
    {20, "Compress", {x, flags({2})}, {{"axis", 0}}},
    {20, "Concat", {x, x, x}, {{"axis", 1}}},
    {20, "Constant", {}, {{"value_ints", Ints{1, 2}}}},
    {20, "ConstantOfShape", {ints({2, 3})}, {{"value", ints({5})}}},
    {20, "DepthToSpace", {image}, {{"blocksize", 2}, {"mode", "CRD"}}},
    {20, "SpaceToDepth", {image}, {{"blocksize", 2}}},
    {20, "Expand", {x, ints({2, 1, 3})}},
    {20, "Gather", {x, ints({1, -1})}, {{"axis", 1}}},
    {20, "GatherElements", {x, integers({2, 1})}, {{"axis", 0}}},
    {20, "GatherND", {x, integers({1, 2})}, {{"batch_dims", 0}}},
    {20, "GatherND", {counting({2, 3, 4}), integers({2, 1})}, {{"batch_dims", 1}}},
    {20, "OneHot", {ints({0, 2}), integer(3), floats({0, 1})}, {{"axis", -1}}},
    {20, "Pad", {x, ints({1, 0, 0, 2}), number(7)}},
    {20, "Pad", {x, ints({1, -1}), Tensor(), ints({1})}, {{"mode", "reflect"}}},
    {20, "Pad", {x, ints({1, 1, 0, 0})}, {{"mode", "wrap"}}},
    {2, "Pad", {x}, {{"pads", Ints{0, 1, 1, 0}}, {"value", 2.0F}}},
    {20, "CenterCropPad", {x, ints({3, 1})}},
    {20, "Range", {integer(1), integer(9), integer(2)}},
    {20, "Range", {number(1), number(9), number(0.5F)}},
    {20, "Reshape", {x, ints({3, -1})}},
    {20, "ReverseSequence", {x, ints({1, 2, 1})}, {{"time_axis", 0}, {"batch_axis", 1}}},
    {10, "Scatter", {x, Tensor(DType::i64, {1, 3}), counting({1, 3})}, {{"axis", 0}}},
    {20, "ScatterElements", {x, integers({1, 2}), counting({1, 2})}, {{"axis", 1}, {"reduction", "add"}}},
    {20, "ScatterND", {x, integers({1, 2}), floats({9})}, {{"reduction", "max"}}},
    {24, "TensorScatter", {counting({1, 4, 2}), counting({1, 1, 2}), ints({1})}, {{"axis", 1}, {"mode", "circular"}}},
    {20, "Slice", {x, ints({0, 2}), ints({2, -9}), ints({0, 1}), ints({1, -1})}},
    {9, "Slice", {x}, {{"starts", Ints{0}}, {"ends", Ints{1}}, {"axes", Ints{1}}}},
    {20, "Split", {x, ints({1, 2})}, {{"axis", 1}}, 2},
    {20, "Split", {x}, {{"axis", 1}, {"num_outputs", 2}}, 2},
    {20, "Squeeze", {counting({1, 3}), ints({0})}},
    {20, "Unsqueeze", {x, ints({0, -1})}},
    {20, "Tile", {x, ints({2, 1})}},
    {20, "TopK", {x, ints({2})}, {{"axis", 1}}, 2},
    {20, "Transpose", {x}, {{"perm", Ints{1, 0}}}},
    {20, "Trilu", {x, integer(1)}, {{"upper", 0}}},
    {20, "Unique", {ints({3, 1, 3})}, {{"sorted", 1}}, 4},
    {20, "Unique", {x}, {{"axis", 1}}, 4},
    {20, "CumSum", {x, integer(1)}, {{"reverse", 1}}},
    {26, "CumProd", {x, integer(1)}, {{"exclusive", 1}}},
    {20, "AffineGrid", {counting({1, 2, 3}), ints({1, 1, 2, 3})}},
    {20, "GridSample", {image, counting({1, 2, 2, 2}, -1)}, {{"mode", "cubic"}, {"padding_mode", "reflection"}}},
    {20, "Resize", {image, Tensor(), floats({1, 1, 2, 1.5F})}, {{"mode", "linear"}, {"antialias", 1}}},
    {20, "Resize", {image, Tensor(), Tensor(), ints({1, 4, 3, 5})}, {{"keep_aspect_ratio_policy", "not_larger"}}},
    {20, "Resize", {image, floats({0, 0, 0, 0, 1, 1, 1, 1}), floats({1, 1, 2, 2})},
     {{"coordinate_transformation_mode", "tf_crop_and_resize"}}},
    {9, "Upsample", {image, floats({1, 1, 2, 2})}},
    {7, "Upsample", {image}, {{"scales", Floats{1, 1, 2, 2}}, {"mode", "linear"}}},
    {20, "TfIdfVectorizer", {ints({1, 2, 1})},
     {{"mode", "TFIDF"}, {"min_gram_length", 1}, {"max_gram_length", 2}, {"max_skip_count", 1},
      {"ngram_counts", Ints{0, 2}}, {"ngram_indexes", Ints{0, 1, 2}}, {"pool_int64s", Ints{1, 2, 1, 2}},
      {"weights", Floats{1, 2, 3}}}},
  });
}

void add_products(std::vector<SampleNode>& nodes) {
  const Tensor x = counting({2, 3}), image = counting({1, 2, 4, 4}), w = counting({2, 2, 2, 2});
  const Attributes window{{"kernel_shape", Ints{2, 2}}, {"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 1, 0}}};
  nodes.insert(nodes.end(), {
    {20, "MatMul", {x, counting({2, 3, 1})}},
    {20, "Gemm", {x, x, floats({1, 2})}, {{"transB", 1}, {"alpha", 2.0F}}},
    {20, "Einsum", {x, counting({3, 2})}, {{"equation", "ij,jk->ik"}}},
    {20, "Einsum", {counting({2, 2})}, {{"equation", "...ii->..."}}},
    {20, "Det", {counting({2, 3, 3})}},
    {20, "Conv", {image, w, floats({1, 2})}, {{"strides", Ints{2, 1}}, {"pads", Ints{1, 1, 1, 1}}}},
    {20, "Conv", {image, counting({2, 1, 2, 2})}, {{"group", 2}, {"auto_pad", "SAME_UPPER"}}},
    {20, "Conv", {counting({1, 1, 5}), counting({1, 1, 2})}, {{"dilations", Ints{2}}}},
    {20, "ConvInteger", {bytes({1, 2, 4, 4}), bytes({2, 2, 2, 2}), byte(1), bytes({2})}},
    {20, "ConvTranspose", {image, w}, {{"strides", Ints{2, 2}}, {"output_padding", Ints{1, 0}}}},
    {20, "ConvTranspose", {image, w}, {{"output_shape", Ints{5, 6}}, {"auto_pad", "SAME_LOWER"}}},
    {20, "Col2Im", {counting({1, 8, 9}), ints({4, 4}), ints({2, 2})}, {{"strides", Ints{1, 1}}}},
    {20, "DeformConv", {image, w, counting({1, 8, 3, 3}, -2), floats({1, 2}), counting({1, 4, 3, 3})},
     {{"kernel_shape", Ints{2, 2}}}},
    {20, "AveragePool", {image}, window},
    {20, "AveragePool", {image}, {{"kernel_shape", Ints{3, 3}}, {"ceil_mode", 1}, {"count_include_pad", 1}}},
    {20, "MaxPool", {image}, window},
    {20, "MaxPool", {image}, window, 2},
    {20, "LpPool", {image}, window},
    {20, "GlobalAveragePool", {image}},
    {20, "GlobalLpPool", {image}, {{"p", 3}}},
    {20, "GlobalMaxPool", {image}},
    {20, "MaxUnpool", {counting({1, 1, 2, 2}), integers({1, 1, 2, 2}), ints({1, 1, 5, 5})},
     {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}},
    {20, "LRN", {image}, {{"size", 3}}},
    {20, "BatchNormalization", {image, floats({1, 2}), floats({1, 2}), floats({1, 2}), floats({1, 2})}},
    {20, "BatchNormalization", {image, floats({1, 2}), floats({1, 2}), floats({1, 2}), floats({1, 2})},
     {{"training_mode", 1}}, 3},
    {21, "GroupNormalization", {image, floats({1, 2}), floats({1, 2})}, {{"num_groups", 1}}},
    {20, "InstanceNormalization", {image, floats({1, 2}), floats({1, 2})}},
    {20, "LayerNormalization", {x, floats({1, 2, 3}), floats({1, 2, 3})}, {{"axis", 1}}, 3},
    {23, "RMSNormalization", {x, floats({1, 2, 3})}, {{"axis", 1}}},
    {17, "SimplifiedLayerNormalization", {x, floats({1, 2, 3})}, {{"axis", 1}}},
    {1, "com.microsoft::SkipSimplifiedLayerNormalization", {x, x, floats({1, 2, 3}), floats({1, 2, 3})}},
    {1, "com.microsoft::SkipLayerNormalization", {x, x, floats({1, 2, 3}), floats({1, 2, 3}), floats({1, 2, 3})}},
    {1, "com.microsoft::EmbedLayerNormalization",
     {as(DType::i32, counting({1, 2})), as(DType::i32, counting({1, 2})), x, x, x, floats({1, 2, 3}), floats({1, 2, 3}),
      as(DType::i32, counting({1, 2})), as(DType::i32, counting({1, 2}))}, {}, 3},
    {20, "MeanVarianceNormalization", {image}, {{"axes", Ints{0, 2, 3}}}},
    {20, "NegativeLogLikelihoodLoss", {counting({2, 4, 2}), integers({2, 2}), counting({4})}},
    {20, "NegativeLogLikelihoodLoss", {counting({2, 4}), ints({0, 3})}, {{"ignore_index", 3}}},
    {20, "SoftmaxCrossEntropyLoss", {counting({2, 4}), ints({0, 3})}, {{"reduction", "sum"}}, 2},
    {20, "NonMaxSuppression", {counting({1, 3, 4}), counting({1, 2, 3}), integer(2), number(0.5F), number(1)}},
    {20, "RoiAlign", {image, counting({2, 4}), ints({0, 0})}, {{"output_height", 2}, {"sampling_ratio", 2}}},
    {23, "RotaryEmbedding", {counting({1, 2, 3, 4}), counting({3, 2}), counting({3, 2}), integers({1, 3})}},
    {1, "com.microsoft::RotaryEmbedding", {counting({1, 3, 4}), integers({1, 3}), counting({3, 2}), counting({3, 2})}},
    {23, "Attention", {counting({1, 2, 4}), counting({1, 3, 4}), counting({1, 3, 4}), flags({2, 3})},
     {{"q_num_heads", 2}, {"kv_num_heads", 2}}},
    {23, "Attention", {counting({1, 2, 2, 4}), counting({1, 2, 3, 4}), counting({1, 2, 3, 4}), Tensor(),
                       counting({1, 2, 1, 4}), counting({1, 2, 1, 4})}, {{"is_causal", 1}}, 4},
    {1, "com.microsoft::Attention", {counting({1, 2, 4}), counting({4, 12}, -9), counting({12})}, {{"num_heads", 2}}},
    {1, "com.microsoft::MultiHeadAttention", {counting({1, 2, 4}), counting({1, 3, 4}), counting({1, 3, 4})},
     {{"num_heads", 2}}},
    {1, "com.microsoft::GroupQueryAttention",
     {counting({1, 2, 4}), counting({1, 2, 2}), counting({1, 2, 2}), Tensor(), Tensor(), as(DType::i32, ints({1})),
      as(DType::i32, integer(2))}, {{"num_heads", 2}, {"kv_num_heads", 1}}, 3},
    {20, "DFT", {counting({1, 4, 1}), integer(4), integer(1)}, {{"onesided", 1}}},
    {17, "DFT", {counting({1, 3, 2})}, {{"axis", 1}, {"inverse", 1}}},
    {20, "STFT", {counting({1, 6, 1}), integer(2), floats({1, 1, 1, 1}), integer(4)}},
    {20, "HannWindow", {integer(5)}},
    {20, "HammingWindow", {integer(5)}, {{"periodic", 0}}},
    {20, "BlackmanWindow", {integer(5)}, {{"output_datatype", 11}}},
    {20, "MelWeightMatrix", {integer(2), integer(8), integer(8), number(0), number(4)}},
    {20, "LSTM", {counting({3, 1, 2}, -2), counting({2, 4, 2}, -8), counting({2, 4, 1}, -4), counting({2, 8}),
                  as(DType::i32, ints({2})), counting({2, 1, 1}), counting({2, 1, 1}), counting({2, 3})},
     {{"hidden_size", 1}, {"direction", "bidirectional"}, {"clip", 1.0F}, {"input_forget", 1},
      {"activations", {"HardSigmoid", "Affine", "Elu", "Sigmoid", "ScaledTanh", "Softsign"}},
      {"activation_alpha", Floats{1, 2, 3, 4}}, {"activation_beta", Floats{1, 2, 3}}}, 3},
    {20, "GRU", {counting({3, 1, 2}, -2), counting({2, 3, 2}, -8), counting({2, 3, 1}, -4), counting({2, 6}),
                 as(DType::i32, ints({2})), counting({2, 1, 1})},
     {{"hidden_size", 1}, {"direction", "bidirectional"}, {"clip", 1.0F}, {"linear_before_reset", 1},
      {"activations", {"HardSigmoid", "Affine", "Elu", "ScaledTanh"}},
      {"activation_alpha", Floats{1, 2, 3, 4}}, {"activation_beta", Floats{1, 2, 3}}}, 2},
    {20, "RNN", {counting({3, 1, 2}, -2), counting({1, 1, 2}, -8), counting({1, 1, 1}, -4)}, {{"hidden_size", 1}}, 2},
  });
}

void add_quantized(std::vector<SampleNode>& nodes) {
  const Tensor x = counting({2, 3}), q = bytes({2, 3});
  nodes.insert(nodes.end(), {
    {20, "QuantizeLinear", {x, floats({1, 2, 3}), bytes({3})}, {{"axis", 1}}},
    {21, "QuantizeLinear", {x, counting({2, 2}, 1), as(DType::i4, counting({2, 2}))}, {{"axis", 1}, {"block_size", 2}}},
    {21, "QuantizeLinear", {x, number(1)}, {{"output_dtype", 17}}},
    {20, "DequantizeLinear", {q, number(2), byte(1)}},
    {21, "DequantizeLinear", {q, counting({2, 2}, 1)}, {{"axis", 1}, {"block_size", 2}}},
    {20, "DynamicQuantizeLinear", {x}, {}, 3},
    {20, "MatMulInteger", {q, bytes({3, 2}), byte(1), bytes({2})}},
    {20, "QLinearMatMul", {q, number(1), byte(1), bytes({3, 2}), number(1), byte(1), number(2), byte(0)}},
    {20, "QLinearConv", {bytes({1, 1, 3, 3}), number(1), byte(1), bytes({2, 1, 2, 2}), floats({1, 2}), bytes({2}),
                         number(1), byte(0), as(DType::i32, ints({1, 2}))}, {{"pads", Ints{1, 1, 0, 0}}}},
    {1, "com.microsoft::QuantizeLinear", {x, number(1), Tensor::scalar(std::uint16_t{3})}},
    {1, "com.microsoft::DequantizeLinear", {q, number(1), byte(3)}},
    {1, "com.microsoft::QGemm", {q, number(1), byte(1), bytes({3, 2}), floats({1, 2}), bytes({2}),
                                 as(DType::i32, ints({1, 2})), number(2), byte(0)}},
    {1, "com.microsoft::QLinearAdd", {q, number(1), byte(1), q, number(1), byte(1), number(1), byte(1)}},
    {1, "com.microsoft::QLinearMul", {q, number(1), byte(1), q, number(1), byte(1), number(1), byte(1)}},
    {1, "com.microsoft::QLinearConv", {bytes({1, 1, 3, 3}), number(1), byte(1), bytes({1, 1, 2, 2}), number(1), byte(0),
                                       number(1), byte(0)}},
    {1, "com.microsoft::QLinearGlobalAveragePool", {bytes({1, 1, 2, 2}), number(2), byte(1), number(1), byte(0)}},
    {1, "com.microsoft::MatMulIntegerToFloat",
     {q, bytes({3, 2}), number(1), number(2), byte(1), bytes({2}), floats({1, 2})}},
    {1, "com.microsoft::QAttention",
     {bytes({1, 2, 1}), bytes({1, 6}), counting({6}), number(0.5F), number(4), Tensor(), byte(1), byte(2)},
     {{"num_heads", 1}}},
    {1, "com.microsoft::DynamicQuantizeLSTM",
     {counting({3, 1, 1}), bytes({1, 1, 4}), bytes({1, 1, 4}), Tensor(), Tensor(), Tensor(), Tensor(), Tensor(),
      floats({1}), bytes({1}), floats({1}), bytes({1})}, {{"hidden_size", 1}}, 3},
    {1, "com.microsoft::DynamicQuantizeMatMul", {x, bytes({3, 2}), floats({1, 2}), bytes({2}), floats({1, 2})}},
    {1, "com.microsoft::MatMulNBits", {x, bytes({2, 2, 1}), floats({1, 2, 3, 4}), bytes({2})},
     {{"K", 3}, {"N", 2}, {"bits", 4}, {"block_size", 2}, {"accuracy_level", 4}}},
    {1, "com.microsoft::GatherBlockQuantized", {bytes({2, 3}), ints({1, 0}), counting({2, 2}), bytes({2, 2})},
     {{"bits", 8}, {"block_size", 2}}},
  });
}

void add_control(std::vector<SampleNode>& nodes) {
  nodes.insert(nodes.end(), {
    {20, "If", {Tensor::scalar(true)}, {{"then_branch", constant_branch()}, {"else_branch", constant_branch()}}},
    {20, "Loop", {integer(3), Tensor::scalar(true), counting({2})}, {{"body", passing({"i", "go", "x"}, 1)}}},
    {20, "Scan", {counting({2}), counting({3, 2})},
     {{"body", passing({"state", "slice"})}, {"num_scan_inputs", 1}, {"scan_output_directions", Ints{1}}}, 2},
    {8, "Scan", {Tensor(), counting({1, 2}), counting({1, 3, 2})},
     {{"body", passing({"state", "slice"})}, {"num_scan_inputs", 1}}, 2},
  });
}

}  // namespace

std::vector<SampleNode> sample_nodes() {
  std::vector<SampleNode> nodes;
  add_elementwise(nodes);
  add_movement(nodes);
  add_products(nodes);
  add_quantized(nodes);
  add_control(nodes);
  return nodes;
}
