// Each fact about TensorRT has a model that fits it, and one that does not.
#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/verify.hpp>
#include <graft/quantize/target/tensorrt.hpp>

#include "quantize/target/facts.hpp"

using namespace graft;

namespace {

/// Quantizers of int8 around 0, and a convolution that reads them.
const std::string head =
    "opset 21; x: f32[1,32,8,8]; s = f32[] 0.1; z = i8[] 0; ws = f32[32] 0.1; w = i8[32,32,1,1] 1; b = f32[32] 1; ";
const std::string pair = "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); ";
const std::string weight = "v = DequantizeLinear(w, ws) {axis=0}; ";
const std::string conv = head + pair + weight + "a = Conv(d, v, b); y = Relu(a)";
const std::string matrix =
    "opset 21; m: f32[32,32]; s = f32[] 0.1; z = i8[] 0; ws = f32[32] 0.1; w = i8[32,32] 1; "
    "d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); ";
const std::string matmul = matrix + "a = MatMul(d, DequantizeLinear(w, ws) {axis=1})";
const std::string quantizer = head + "a = DequantizeLinear(QuantizeLinear(x, s, z), s, z)";
const std::string blocks = "opset 21; m: f32[32,128]; w = i4[128,32] 1; v = DequantizeLinear(w, f32[2,32] 0.1) "
                           "{axis=0, block_size=64}; y = MatMul(m, v)";
/// The sum of a convolution and a skip branch, whose result the next convolution reads in integers.
const std::string residual =
    head + pair + weight +
    "skip: f32[1,32,8,8]; g = DequantizeLinear(QuantizeLinear(skip, s, z), s, z); c = Conv(d, v, b); r = Add(c, g); "
    "y = Conv(DequantizeLinear(QuantizeLinear(r, s, z), s, z), v, b)";
const std::string pool = head + pair + weight +
                         "c = Conv(d, v, b); p = MaxPool(c) {kernel_shape=[2,2]}; "
                         "y = Conv(DequantizeLinear(QuantizeLinear(p, s, z), s, z), v, b)";
const std::string float_pool = "opset 21; x: f32[1,2,8,8]; y = AveragePool(x) {kernel_shape=[2,2], dilations=[1,1]}";
const std::string resize =
    "opset 21; x: f32[1,2,8,8]; y = Resize(x, _, _, i64[4] {1, 2, 16, 16}) "
    "{mode=\"cubic\", antialias=0, keep_aspect_ratio_policy=\"stretch\"}";
/// A sum of the results of two convolutions, of which one is reached by two; `near` and `far` are its operands.
const std::string two_branches =
    head + pair + weight +
    "near = Conv(d, v, b); c = Relu(Conv(d, v, b)); far = Conv(DequantizeLinear(QuantizeLinear(c, s, z), s, z), v, b); "
    "g = DequantizeLinear(QuantizeLinear(near, s, z), s, z); r = Add(far, g); "
    "y = Conv(DequantizeLinear(QuantizeLinear(r, s, z), s, z), v, b)";
/// Two dequantized tensors and their readers; the result is quantized.
std::string two_tensors(const std::string& nodes) {
  return head + "q: f32[1,32,8,8]; t = f32[] 0.2; " + pair + "e = DequantizeLinear(QuantizeLinear(q, s, z), s, z); " +
         nodes + "; y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
}
const std::string depthwise = head + pair +
                              "u = DequantizeLinear(i8[32,1,3,3] 1, ws) {axis=0}; c = Conv(d, u) {group=32}; "
                              "a = Relu(c); y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
/// A product of attention, whose scores have a mask m.
const std::string masked =
    "opset 21; q: f32[1,2,64,32]; k: f32[1,2,32,64]; m: f32[64,64]; s = f32[] 0.1; z = i8[] 0; "
    "d = DequantizeLinear(QuantizeLinear(q, s, z), s, z); e = DequantizeLinear(QuantizeLinear(k, s, z), s, z); "
    "c = MatMul(d, e); y = Softmax(c)";
const std::string attention = "opset 24; q: f32[1,2,8,16]; k: f32[1,2,8,16]; y = Attention(q, k, k)";

const std::vector<TargetFact> facts{
    // Dtypes and zero points.
    {"int4 is for weights alone", quantizer, "z = i8[]", "z = i4[]", "QuantizeLinear dtype_refused, refused"},
    {"uint8 is refused, around 0, too", quantizer, "z = i8[]", "z = u8[]", "QuantizeLinear dtype_refused, refused"},
    {"uint8 weights are refused", conv, "w = i8[", "w = u8[", "DequantizeLinear dtype_refused, refused"},
    {"int16 is refused", quantizer, "z = i8[]", "z = i16[]", "QuantizeLinear dtype_refused, refused"},
    {"uint16 is refused", quantizer, "z = i8[]", "z = u16[]", "QuantizeLinear dtype_refused, refused"},
    {"uint4 weights are refused", blocks, "w = i4[", "w = u4[", "DequantizeLinear dtype_refused, refused"},
    {"zero points are 0", quantizer, "z = i8[] 0", "z = i8[] 1", "QuantizeLinear zero_point_refused, refused"},
    {"zero points are constants", quantizer, "z = i8[] 0", "z: i8[]", "QuantizeLinear zero_point_refused, refused"},
    {"there is a zero point for each scale", quantizer, "z = i8[] 0", "z = i8[2] 0",
     "QuantizeLinear zero_point_refused, refused"},
    {"a quantizer states its dtype", head + "a = DequantizeLinear(QuantizeLinear(x, s) {output_dtype=i8}, s)",
     " {output_dtype=i8}", "", "QuantizeLinear dtype_unstated, refused"},
    {"a DequantizeLinear needs no zero point", quantizer, "(QuantizeLinear(x, s, z), s, z)",
     "(QuantizeLinear(x, s), s)", "QuantizeLinear dtype_unstated, refused"},
    {"uint8 is an input of the graph, with a Cast behind", "opset 21; p: u8[4]; y = Neg(Cast(p) {to=f32})",
     "y = Neg(Cast(p) {to=f32})", "y = Cast(Cast(Cast(p) {to=f32}) {to=u8}) {to=f32}", "Cast uint8_tensor, refused"},
    {"and nothing else reads it", "opset 21; p: u8[4]; y = Neg(Cast(p) {to=f32})", "Cast(p) {to=f32}",
     "Cast(Reshape(p, i64[1] 4)) {to=f32}", "Reshape uint8_tensor, refused"},
    // Scales and axes.
    {"before opset 13 there is one", "opset 12; a = DequantizeLinear(i8[4,4] 1, f32[1] 0.1)", "f32[1]", "f32[4]",
     "DequantizeLinear axis_unstated, refused"},
    {"quantizers of one tensor have one scale", head + "a = DequantizeLinear(QuantizeLinear(x, s, z), s, z); t = f32[] "
     "0.1; c = DequantizeLinear(QuantizeLinear(x, t, z), t, z); return a, c", "t = f32[] 0.1", "t = f32[] 0.2",
     "QuantizeLinear scales_differ, float"},
    {"scales are above 0", quantizer, "s = f32[] 0.1", "s = f32[] -0.1", "QuantizeLinear scale_refused, refused"},
    {"scales are numbers", quantizer, "s = f32[] 0.1", "s = f32[] 0", "QuantizeLinear scale_refused, refused"},
    {"scales are of a float dtype of 16 or 32 bits", head + "a = DequantizeLinear(w, ws) {axis=0}", "ws = f32[",
     "ws = f64[", "DequantizeLinear scale_refused, refused"},
    {"the shape of a scale is known", head + "t: f32[32]; a = DequantizeLinear(w, t) {axis=0}", "t: f32[32]",
     "t: f32[N]", "DequantizeLinear scale_refused, refused"},
    {"a scale of one element needs no axis, of several it does", head + "a = DequantizeLinear(w, f32[1] 0.1)",
     "f32[1]", "f32[32]", "DequantizeLinear axis_unstated, refused"},
    {"there is a scale for each index of the axis", head + "a = DequantizeLinear(w, ws) {axis=0}", "ws = f32[32]",
     "ws = f32[16]", "DequantizeLinear scale_refused, refused"},
    {"an activation has one scale", conv, "(QuantizeLinear(x, s, z), s, z)",
     "(QuantizeLinear(x, ws, i8[32] 0) {axis=1}, ws, i8[32] 0) {axis=1}",
     "Conv per_axis_input, float"},
    {"blocks are along one axis", blocks, "f32[2,32]", "f32[2,16]", "DequantizeLinear scale_refused, refused"},
    {"blocks are along one of the last two axes",
     "opset 21; w = i8[4,4,4] 1; a = DequantizeLinear(w, f32[4,2,4] 0.1) {axis=1, block_size=2}",
     "f32[4,2,4] 0.1) {axis=1", "f32[2,4,4] 0.1) {axis=0", "DequantizeLinear scale_refused, refused"},
    {"scales of blocks have the rank of the tensor",
     "opset 21; w = i8[4,4,4] 1; a = DequantizeLinear(w, f32[4,2,4] 0.1) {axis=1, block_size=2}", "f32[4,2,4]",
     "f32[2,4]", "DequantizeLinear scale_refused, refused"},
    {"the last extent of 4-bit elements is even", "opset 21; a = DequantizeLinear(i4[4,4] 1, f32[] 0.1)", "i4[4,4]",
     "i4[4,3]", "DequantizeLinear scale_refused, refused"},
    {"blocks of f4e2m1 have 16 elements",
     "opset 23; w: f4e2m1[32,32]; a = DequantizeLinear(w, f32[2,32] 0.1) {axis=0, block_size=16}",
     "f32[2,32] 0.1) {axis=0, block_size=16", "f32[1,32] 0.1) {axis=0, block_size=32",
     "DequantizeLinear scale_refused, refused"},
    {"blocks of f8e4m3fn have 32 elements",
     "opset 23; w: f8e4m3fn[32,32]; a = DequantizeLinear(w, f32[1,32] 0.1) {axis=0, block_size=32}",
     "f32[1,32] 0.1) {axis=0, block_size=32", "f32[2,32] 0.1) {axis=0, block_size=16",
     "DequantizeLinear scale_refused, refused"},
    {"opsets begin at 9", "opset 9; x: f32[4]; y = Neg(x)", "opset 9", "opset 8", "Neg opset_unread, refused"},
    {"opsets end at 24", "opset 24; x: f32[4]; y = Neg(x)", "opset 24", "opset 25", "Neg opset_unread, refused"},
    // Weights and biases.
    {"a product reads its input dequantized", conv, "Conv(d, v, b)", "Conv(x, v, b)", "Conv no_dq_input, float"},
    {"and its weight", conv, "v = DequantizeLinear(w, ws) {axis=0}", "v = f32[32,32,1,1] 1",
     "Conv weight_not_quantized, float"},
    {"scales of Conv are along axis 0", conv, "{axis=0}", "{axis=1}", "Conv axis, float"},
    {"those of ConvTranspose along axis 1",
     head + pair + "a = ConvTranspose(d, DequantizeLinear(w, ws) {axis=1}, b); y = Relu(a)", "{axis=1}", "{axis=0}",
     "ConvTranspose axis, float"},
    {"those of Gemm along axis 1", matrix + "a = Gemm(d, DequantizeLinear(w, ws) {axis=1})", "{axis=1}", "{axis=0}",
     "Gemm axis, float"},
    {"and along axis 0 with transB", matrix + "a = Gemm(d, DequantizeLinear(w, ws) {axis=0}) {transB=1}", "{axis=0}",
     "{axis=1}", "Gemm axis, float"},
    {"those of MatMul along axis 1", matmul, "{axis=1}", "{axis=0}", "MatMul axis, float"},
    {"nothing is between MatMul and the DequantizeLinear of its weight", matmul,
     "MatMul(d, DequantizeLinear(w, ws) {axis=1})", "MatMul(d, Transpose(DequantizeLinear(w, ws) {axis=0}))",
     "MatMul weight_moved, float"},
    {"nor is a Cast", matmul, "MatMul(d, DequantizeLinear(w, ws) {axis=1})",
     "MatMul(d, Cast(DequantizeLinear(w, ws) {axis=1}) {to=f32})", "MatMul weight_"},
    {"int4 is in blocks of 64 or 128", blocks, "f32[2,32] 0.1) {axis=0, block_size=64}",
     "f32[4,32] 0.1) {axis=0, block_size=32}", "DequantizeLinear blocks, float"},
    {"blocks are along the sums", "opset 21; m: f32[32,128]; v = DequantizeLinear(i4[128,128] 1, f32[2,128] 0.1) "
     "{axis=0, block_size=64}; y = MatMul(m, v)", "f32[2,128] 0.1) {axis=0", "f32[128,2] 0.1) {axis=1",
     "DequantizeLinear blocks, float"},
    {"those of a transposed factor, too", "opset 21; m: f32[32,128]; v = DequantizeLinear(i4[128,128] 1, f32[128,2] "
     "0.1) {axis=1, block_size=64}; y = Gemm(m, v) {transB=1}", "transB=1", "transB=0",
     "DequantizeLinear blocks, float"},
    {"alpha is 1, or an operator of its own", matrix + "a = Gemm(d, DequantizeLinear(w, ws) {axis=1}) {alpha=1.0}",
     "alpha=1.0", "alpha=0.5", "Gemm factors_apart, float result"},
    {"and so is beta", matrix + "a = Gemm(d, DequantizeLinear(w, ws) {axis=1}, f32[32] 1) {beta=1.0}", "beta=1.0",
     "beta=0.5", "Gemm factors_apart, float result"},
    {"weights of Conv are constant", conv, "v = DequantizeLinear(w, ws) {axis=0}",
     "k: f32[32,32,1,1]; v = DequantizeLinear(QuantizeLinear(k, s, z), s, z)", "Conv weight_not_constant, float"},
    {"biases are in float", conv, "a = Conv(d, v, b)",
     "c = DequantizeLinear(i32[32] 1, ws) {axis=0}; a = Conv(d, v, c)", "DequantizeLinear bias_refused, refused"},
    // Placement.
    {"nothing is between a product and its activation", head + pair + weight + "c = Conv(d, v, b); r = Relu(c); "
     "y = Conv(DequantizeLinear(QuantizeLinear(r, s, z), s, z), v, b)",
     "r = Relu(c)", "r = Relu(DequantizeLinear(QuantizeLinear(c, s, z), s, z))", "Conv split_chain, warned of"},
    {"a residual sum has a pair on one branch", residual, "Add(c, g)",
     "Add(DequantizeLinear(QuantizeLinear(c, s, z), s, z), g)", "Conv pairs_on_both_branches, warned of"},
    {"and it has one", residual, "Add(c, g)", "Add(c, skip)", "Conv branch_in_float, float result"},
    {"of two kernels the farther one takes the sum along", two_branches,
     "g = DequantizeLinear(QuantizeLinear(near, s, z), s, z); r = Add(far, g)",
     "g = DequantizeLinear(QuantizeLinear(far, s, z), s, z); r = Add(near, g)", "Conv nearer_branch, warned of"},
    {"other sums have pairs on all operands", two_tensors("a = Add(d, e)"), "Add(d, e)", "Add(d, q)",
     "Add pair_in_float, float"},
    {"never a constant one", two_tensors("a = Add(d, e)"), "Add(d, e)", "Add(d, f32[] 2)", "Add pair_in_float, float"},
    {"and one behind", two_tensors("a = Mul(d, e)"), "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)",
     "y = Softmax(a)", "Mul pair_in_float, float"},
    {"pairs around Concat have one scale", two_tensors("a = Concat(d, e) {axis=1}"), "QuantizeLinear(q, s, z), s, z",
     "QuantizeLinear(q, t, z), t, z", "Concat scales_differ, float"},
    {"that behind it, too", two_tensors("a = Concat(d, e) {axis=1}"), "QuantizeLinear(a, s, z), s, z",
     "QuantizeLinear(a, t, z), t, z", "Concat scales_differ, float"},
    {"what stays in float reads no pair", conv, "y = Relu(a)",
     "y = Softmax(DequantizeLinear(QuantizeLinear(a, s, z), s, z))", "Softmax pair_in_float, float"},
    {"neither does Sigmoid", conv, "y = Relu(a)",
     "y = Sigmoid(DequantizeLinear(QuantizeLinear(a, s, z), s, z))", "Conv split_chain, warned of"},
    {"LayerNormalization does behind Conv alone", head + pair + weight + "c = Conv(d, v); "
     "y = LayerNormalization(DequantizeLinear(QuantizeLinear(c, s, z), s, z), f32[8] 1)", "QuantizeLinear(c, s, z)",
     "QuantizeLinear(Softmax(c), s, z)", "LayerNormalization not_behind_conv, float"},
    {"Softmax of a mask reads no pair", masked, "y = Softmax(c)",
     "y = Softmax(Add(DequantizeLinear(QuantizeLinear(c, s, z), s, z), m))", "Add pair_in_float, float"},
    {"attention in integers has no computed mask", masked, "Softmax(c)", "Softmax(Add(c, m))",
     "MatMul attention, warned of"},
    {"and 512 positions at most", masked, "k: f32[1,2,32,64]", "k: f32[1,2,32,513]", "MatMul attention, warned of"},
    {"no pair is between Pad and Conv", conv, pair,
     "p = Pad(x, i64[8] {0, 0, 1, 1, 0, 0, 1, 1}); d = DequantizeLinear(QuantizeLinear(p, s, z), s, z); ",
     "Conv pad_apart, warned of"},
    {"integers are not moved", quantizer, "DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
     "DequantizeLinear(Transpose(QuantizeLinear(x, s, z)), s, z)", "Transpose bare_integers, refused"},
    {"no Cast is behind a pair", quantizer, "a = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
     "a = Neg(Cast(DequantizeLinear(QuantizeLinear(x, s, z), s, z)) {to=f16})", "Cast cast_beside_pair, float"},
    {"nor in front of one", conv, "y = Relu(a)",
     "r = Cast(Relu(a)) {to=f16}; h = f16[] 0.1; y = DequantizeLinear(QuantizeLinear(r, h, z), h, z)",
     "Cast cast_beside_pair, float"},
    {"depthwise Conv may take no SiLU along", depthwise, "a = Relu(c)", "a = Mul(c, Sigmoid(c))",
     "Conv gate_apart, noted"},
    {"small products are as fast in float", matmul, "m: f32[32,32]", "m: f32[1,32]", "MatMul small, warned of"},
    {"of fewer than 16 columns, too", matrix + "a = MatMul(d, DequantizeLinear(i8[32,16] 1, f32[16] 0.1) {axis=1})",
     "i8[32,16] 1, f32[16]", "i8[32,15] 1, f32[15]", "MatMul small, warned of"},
    {"and convolutions of few channels", head + pair + "v = DequantizeLinear(i8[16,32,1,3] 1, f32[16] 0.1) {axis=0}; "
     "a = Conv(d, v)", "i8[16,32,1,3] 1, f32[16]", "i8[8,32,1,3] 1, f32[8]", "Conv small, warned of"},
    {"MaxPool has no dilations", pool, "{kernel_shape=[2,2]}", "{kernel_shape=[2,2], dilations=[2,2]}",
     "MaxPool pool, refused"},
    {"nor does AveragePool", float_pool, "dilations=[1,1]", "dilations=[2,2]", "AveragePool pool, refused"},
    {"pools are over two axes", float_pool, "x: f32[1,2,8,8]; y = AveragePool(x) {kernel_shape=[2,2], dilations=[1,1]}",
     "x: f32[1,2,8]; y = AveragePool(x) {kernel_shape=[2]}", "AveragePool pool, refused"},
    {"MaxPool gives no indices", pool, "p = MaxPool", "p, i = MaxPool", "MaxPool pool, refused"},
    {"Resize has no antialias", resize, "antialias=0", "antialias=1", "Resize resize, refused"},
    {"and does not keep the aspect ratio", resize, "stretch", "not_smaller", "Resize resize, refused"},
    {"Attention reads 4-D tensors", attention, "k: f32[1,2,8,16]", "k: f32[1,8,32]",
     "Attention attention_refused, refused"},
    {"and no past", attention, "(q, k, k)", "(q, k, k, _, k, k)", "Attention attention_refused, refused"},
    {"nor gives a present", attention, "y = Attention", "y, p, o = Attention", "Attention attention_refused, refused"},
    // Operators by name.
    {"of com.microsoft, the quantizers are read", head + "q = com.microsoft::QuantizeLinear(x, s, z); "
     "y = com.microsoft::DequantizeLinear(q, s, z)", "y = com.microsoft::DequantizeLinear(q, s, z)",
     "y = com.microsoft::QuickGelu(com.microsoft::DequantizeLinear(q, s, z))", "QuickGelu other_domain, refused"},
    {"TRT_ operators are its own, others are plugins", "opset 19; x: f32[4]; y = trt::TRT_FP8QuantizeLinear(x)",
     "TRT_FP8QuantizeLinear", "Plugin", "Plugin other_domain, refused"},
};

/// What fits, too.
const std::vector<std::string> alike{
    conv,
    // A weight in float, with a pair.
    head + pair + "f = f32[32,32,1,1] 1; e = i8[32] 0; "
                  "v = DequantizeLinear(QuantizeLinear(f, ws, e) {axis=0}, ws, e) {axis=0}; a = Conv(d, v, b); "
                  "y = Relu(a)",
    // A scale of one element is that of the tensor, whatever its rank.
    head + "a = DequantizeLinear(QuantizeLinear(x, f32[1,1,1,1] 0.1, i8[1,1,1,1] 0), f32[1,1,1,1] 0.1)",
    // The chain behind a product.
    head + pair + weight + "c = Conv(d, v, b); e = Mul(c, f32[] 2); f = Relu(e); p = MaxPool(f) {kernel_shape=[2,2]}; "
                           "y = Conv(DequantizeLinear(QuantizeLinear(p, s, z), s, z), v, b)",
    head + pair + weight + "c = Conv(d, v, b); e = Mul(c, Sigmoid(c)); "
                           "y = Conv(DequantizeLinear(QuantizeLinear(e, s, z), s, z), v, b)",
    // Quantizers move past what moves values.
    head + pair + weight + "c = Conv(d, v, b); e = Transpose(c) {perm=[0,1,3,2]}; "
                           "y = Conv(DequantizeLinear(QuantizeLinear(e, s, z), s, z), v, b)",
    residual, two_branches, two_tensors("a = Add(d, e)"), two_tensors("a = Sum(d, e)"),
    two_tensors("c = Concat(d, q) {axis=1}; a = Identity(c)"), masked,
    "opset 23; x: f32[1,2,8,16]; y = Attention(x, x, x)"};

}  // namespace

TEST_CASE("TensorRT takes these models, too", "[quantize]") {
  for (const std::string& text : alike) {
    INFO(text);
    CHECK(unusual_outcomes(text, targets::tensorrt) == "");
  }
}

TEST_CASE("TensorRT's products give float where no quantizer stands behind them", "[quantize]") {
  /// Of the one operator of that type.
  const auto gives_float = [](const std::string& text, const char* op) {
    const Model model = graph(text);
    const Audit found = audit(model.graph(), targets::tensorrt).of(op);
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings.front().fused());
    return found.findings.front().float_result;
  };
  CHECK(gives_float(conv, "Conv"));
  CHECK_FALSE(gives_float(depthwise, "Conv"));
  // A gate that does not come from the same convolution begins a chain of its own.
  const std::string gated = head + pair + weight + "g: f32[1,32,8,8]; c = Conv(d, v, b); e = Mul(c, Sigmoid(c)); "
                                                   "y = DequantizeLinear(QuantizeLinear(e, s, z), s, z)";
  CHECK_FALSE(gives_float(gated, "Conv"));
  CHECK(gives_float(std::string(gated).replace(gated.find("Sigmoid(c)"), 10, "Sigmoid(g)"), "Conv"));
  const std::string average = two_tensors("a = AveragePool(d) {kernel_shape=[2,2]}");
  CHECK_FALSE(gives_float(average, "AveragePool"));
  CHECK(gives_float(average.substr(0, average.find("; y =")), "AveragePool"));
}

TEST_CASE("what ONNX has of quantizers since a later opset, verify() finds", "[quantize]") {
  for (const std::string text : {"opset 18; x: f16[4]; y = QuantizeLinear(x, f16[] 0.1, i8[] 0)",
                                 "opset 19; x: f16[4]; y = QuantizeLinear(x, f32[] 0.1, i8[] 0)",
                                 "opset 18; y = DequantizeLinear(f8e4m3fn[4] 1, f32[] 0.1)",
                                 "opset 20; y = DequantizeLinear(i4[4] 1, f32[] 0.1)",
                                 "opset 22; y = DequantizeLinear(f4e2m1[4] 1, f32[] 0.1)",
                                 "opset 22; x: f32[1,2,8,16]; y = Attention(x, x, x)"}) {
    INFO(text);
    CHECK_FALSE(verify(graph(text).graph()).empty());
  }
}

TEST_CASE("each fact about TensorRT has a model that fits it, and one that does not", "[quantize]") {
  check_facts(facts, targets::tensorrt);
}

TEST_CASE("operators on integers and those of com.microsoft are none of TensorRT", "[quantize]") {
  const std::string tensors = "opset 21; x: f32[4,32]; p: u8[4,32]; w: u8[32,32]; s: f32[]; z: u8[]; b = f32[32] 1; ";
  for (const std::string one :
       {"DynamicQuantizeLinear(x)", "MatMulInteger(p, w)", "QLinearMatMul(p, s, z, w, s, z, s, z)",
        "com.microsoft::MatMulNBits(x, u8[32,1,16] 1, f32[32] 1) {K=32, N=32, bits=4, block_size=32}",
        "com.microsoft::SkipLayerNormalization(x, x, b)", "com.microsoft::FusedMatMul(x, x) {transB=1}",
        "com.microsoft::QGemm(p, s, z, w, s, z)", "com.microsoft::QuickGelu(x)"}) {
    INFO(one);
    const bool is_contrib = one.starts_with("com.microsoft");
    CHECK_THAT(unusual_outcomes(tensors + "y = " + one, targets::tensorrt),
               Catch::Contains(is_contrib ? "other_domain, refused" : "integer_operator, refused"));
  }
  const std::string images = "opset 21; p: u8[1,2,4,4]; w: u8[2,2,1,1]; s: f32[]; z: u8[]; ";
  for (const std::string one : {"ConvInteger(p, w)", "QLinearConv(p, s, z, w, s, z, s, z)"})
    CHECK_THAT(unusual_outcomes(images + "y = " + one, targets::tensorrt), Catch::Contains(
        "integer_operator, refused") );
  for (const std::string one : {"com.microsoft::Gelu(x)", "LayerNormalization(x, b)", "Gelu(x)"})
    CHECK_THAT(unusual_outcomes(tensors + "y = " + one, targets::tensorrt), !Catch::Contains("refused"));
}

TEST_CASE("of f8e4m3fn, TensorRT has Conv, Gemm and MatMul", "[quantize]") {
  const Target target = with_activations(targets::tensorrt, DType::f8e4m3fn);
  const std::string wide =
      "opset 19; x: f32[1,32,8,8]; q: f32[1,2,64,32]; s = f32[] 0.1; z = f8e4m3fn[] 0; w = f8e4m3fn[32,32,3,3] 1; "
      "k: f8e4m3fn[1,2,32,64]; n: f8e4m3fn[1,2,64,32]; d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); "
      "e = DequantizeLinear(QuantizeLinear(q, s, z), s, z); f = DequantizeLinear(k, s, z); "
      "g = DequantizeLinear(n, s, z); ";
  const std::string conv8 = wide + "a = Conv(d, DequantizeLinear(w, s, z)); y = Relu(a)";
  const std::string scores = "c = MatMul(e, f); p = Softmax(c); ";
  const std::string probabilities =
      wide + scores + "t = f32[] 0.0022321429; r = DequantizeLinear(QuantizeLinear(p, t, z), t, z); a = MatMul(r, g); "
                      "o = DequantizeLinear(QuantizeLinear(a, s, z), s, z); y = MatMul(o, f)";
  const std::string heads = "opset 19; q: f32[1,2,64,9]; k: f8e4m3fn[1,2,9,64]; s = f32[] 0.1; z = f8e4m3fn[] 0; "
                            "d = DequantizeLinear(QuantizeLinear(q, s, z), s, z); "
                            "y = Softmax(MatMul(d, DequantizeLinear(k, s, z)))";
  check_facts({{"AveragePool is in float", wide + "a = Conv(d, DequantizeLinear(w, s, z)); y = Relu(a)", "y = Relu(a)",
                "y = AveragePool(d) {kernel_shape=[2,2]}", "AveragePool dtypes, float"},
               {"both factors have it", conv8, "DequantizeLinear(w, s, z)", "DequantizeLinear(i8[32,32,3,3] 1, s)",
                "Conv dtypes, float"},
               {"Conv has more than 16 channels", conv8, "w = f8e4m3fn[32,", "w = f8e4m3fn[16,",
                "Conv small, warned of"},
               {"and at most 32 elements in a kernel", conv8, "w = f8e4m3fn[32,32,3,3]", "w = f8e4m3fn[32,32,3,11]",
                "Conv small, warned of"},
               {"heads have 9 elements at least", heads, "q: f32[1,2,64,9]; k: f8e4m3fn[1,2,9,64]",
                "q: f32[1,2,64,8]; k: f8e4m3fn[1,2,8,64]", "MatMul attention, warned of"},
               {"and 256 at most", heads, "q: f32[1,2,64,9]; k: f8e4m3fn[1,2,9,64]",
                "q: f32[1,2,64,257]; k: f8e4m3fn[1,2,257,64]", "MatMul attention, warned of"},
               {"probabilities have the scale 1/448", probabilities, "QuantizeLinear(p, t, z), t, z",
                "QuantizeLinear(p, s, z), s, z", "MatMul probability_scale, warned of"},
               {"ConvTranspose is in float", conv8, "Conv(", "ConvTranspose(", "ConvTranspose dtypes, float"},
               {"the factor of attention is on the queries", probabilities, "p = Softmax(c)",
                "p = Softmax(Mul(c, f32[] 0.2))", "MatMul score_factor, warned of"},
               {"the result of attention is quantized", probabilities,
                "o = DequantizeLinear(QuantizeLinear(a, s, z), s, z)", "o = Neg(a)",
                "MatMul attention_in_float, warned of"}},
              target);
}
