// Each fact about QNN HTP has a model that fits it, and one that does not.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/target/qnn_htp.hpp>

#include "quantize/target/facts.hpp"

using namespace graft;

namespace {

const std::string lone = "DequantizeLinear lone_dequantizer, left to another backend";

/// Tensors between quantizers of one dtype, with the zero point z, and the lowest value l: images d and e, matrices f
/// and g. `a` is quantized.
std::string unit(const std::string& dtype, const std::string& nodes, const std::string& opset = "21") {
  const bool is_wide = dtype.ends_with("16"), is_signed = dtype.starts_with("i");
  const std::string middle = is_signed ? "0" : is_wide ? "32768" : "128";
  const std::string lowest = !is_signed ? "0" : is_wide ? "-32768" : "-128";
  const auto pair = [](const std::string& name, const std::string& of) {
    return name + " = DequantizeLinear(QuantizeLinear(" + of + ", s, z), s, z); ";
  };
  return "opset " + opset +
      "; x: f32[1,4,4,4]; n: f32[1,4,4,4]; m: f32[4,4]; o: f32[4,4]; s = f32[] 0.1; t = f32[] 0.2; z = " + dtype +
       "[] "+ middle + "; l = " + dtype + "[] " + lowest + "; k = " + dtype + "[4] 5; p: " + dtype +
      "[1,4,4,4]; ws = f32[4] 0.01; w = i8[4,4,1,1] 1; v = i8[4,4] 1; u = u8[4] 3; b = i32[4] 5; bs = f32[4] 0.001; " +
      pair("d", "x") + pair("e", "n") + pair("f", "m") + pair("g", "o") + nodes +
      "; y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
}
std::string edited_result(std::string text, const std::string& zero_point) {
  const std::string from = "QuantizeLinear(a, s, z), s, z";
  const std::size_t place = text.find(from);
  if (place == std::string::npos) return text;
  return text.replace(place, from.size(), "QuantizeLinear(a, s, " + zero_point + "), s, " + zero_point);
}
const std::string weight = "h = DequantizeLinear(w, ws) {axis=0}; ";
const std::string columns = "h = DequantizeLinear(v, ws) {axis=1}; ";
const std::string bias = "c = DequantizeLinear(b, bs) {axis=0}; ";
/// An activation behind a Conv, whose result has the zero point.
std::string behind_conv(const std::string& dtype, const std::string& nodes, const std::string& zero_point) {
  return edited_result(unit(dtype, weight + "c = Conv(d, h); " + nodes), zero_point);
}
const std::string conv = unit("u8", weight + bias + "a = Conv(d, h, c) {dilations=[1,1]}");
const std::string wide_conv = unit("u16", weight + bias + "a = Conv(d, h, c)");
const std::string gemm = unit("u8", columns + bias + "a = Gemm(f, h, c) {alpha=1.0, beta=1.0}");
const std::string matmul = unit("u8", columns + "a = MatMul(f, h)");
const std::string one_scale = unit("u8", "h = DequantizeLinear(v, s); a = MatMul(f, h)");
const std::string sum = unit("u8", "a = Add(d, e)");
const std::string layer = unit("u8", "h = DequantizeLinear(u, s); c = DequantizeLinear(b, f32[] 0.01); "
                                     "a = LayerNormalization(d, h, c)");
const std::string image_norm = unit("u8", "h = DequantizeLinear(u, s); c = DequantizeLinear(b, f32[] 0.01); "
                                          "a = InstanceNormalization(d, h, c)");
const std::string batch_norm = unit("u8", "h = DequantizeLinear(u, s); r = f32[4] 1; "
                                          "a = BatchNormalization(d, h, r, h, h)");
const std::string out = "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
const std::string two_products = "h = DequantizeLinear(v, ws) {axis=1}; c = MatMul(f, h); ";
const std::string embedding =
    "opset 21; i: i64[3]; s = f32[] 0.1; z = u8[] 0; a = Gather(DequantizeLinear(u8[9,4] 1, s, z), i); "
    "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";

const std::vector<TargetFact> facts{
    // The model as a whole.
    {"extents are known", conv, "x: f32[1,", "x: f32[N,", "Conv unknown_shape, left to"},
    {"tensors have rank 5 at most", "opset 21; x: f32[1,2,3,4,5]; y = Neg(x)", "f32[1,", "f32[1,1,",
     "Neg rank, left to"},
    {"MaxPool is not on bare integers", unit("u8", "a = MaxPool(d) {kernel_shape=[2,2]}"), "MaxPool(d)", "MaxPool(p)",
     "MaxPool bare_integers, refused"},
    {"nor is Relu", unit("i8", "a = Relu(d)"), "Relu(d)", "Relu(p)", "Relu bare_integers, left to"},
    {"nor is Transpose", unit("u8", "a = Transpose(d)"), "Transpose(d)", "Transpose(p)",
     "Transpose bare_integers, left to"},
    {"scales are constants", sum, "s = f32[] 0.1", "s: f32[]", "QuantizeLinear computed_qparams, refused"},
    {"activations have one scale", sum, "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
     "d = DequantizeLinear(QuantizeLinear(x, ws, k) {axis=1}, ws, k) {axis=1}",
     "QuantizeLinear channel_scales, refused"},
    {"an unread DequantizeLinear has one scale", unit("u8", "h = DequantizeLinear(w, s); a = Relu(d)"), "(w, s)",
     "(w, ws) {axis=0}", lone},
    // Units.
    {"one quantizer reads the result of a product", conv, out, out +
     "; i = DequantizeLinear(QuantizeLinear(a, t, z), t, z); return y, i", lone},
    {"and no operator in float", conv, out, out + "; i = Neg(a); return y, i", lone},
    {"nor is it an output", conv, out, out + "; return y, a", lone},
    {"without a quantizer Add is in float", sum, out, "y = Neg(a)", "Add output_not_quantized, float"},
    {"and Sigmoid without a pair in front", unit("u8", "a = Sigmoid(d)"), "Sigmoid(d)", "Sigmoid(x)",
     "Sigmoid no_dq_input, float"},
    {"MatMul without a quantizer is in float", one_scale, out, "y = Neg(a)", "MatMul output_not_quantized, float"},
    {"and left out with scales of channels", matmul, out, "y = Neg(a)", lone},
    {"Gemm without a quantizer is left out", gemm, out, "y = Neg(a)", "Gemm needs_quantizer, left to"},
    {"Conv without a quantizer is left out", conv, out, "y = Neg(a)", lone},
    {"and with an int32 bias, too", unit("u8", "h = DequantizeLinear(w, s); " + bias + "a = Conv(d, h, c)"), out,
     "y = Neg(a)", lone},
    {"operands have one dtype", sum, "QuantizeLinear(n, s, z), s, z", "QuantizeLinear(n, s, i8[] 0), s, i8[] 0",
     "Add dtypes, float"},
    {"and the result has it", sum, "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, s, u16[] 0), s, u16[] 0",
     "Add dtype_mismatch, float"},
    {"of Sigmoid, too", unit("u8", "a = Sigmoid(d)"), "QuantizeLinear(a, s, z), s, z",
     "QuantizeLinear(a, s, u16[] 0), s, u16[] 0", "Sigmoid dtype_mismatch, float"},
    {"Conv is left out then", conv, "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, s, u16[] 0), s, u16[] 0", lone},
    {"weights alone have one scale", "opset 21; x: f32[4,4]; s = f32[] 0.1; ws = f32[4] 0.1; "
     "y = MatMul(x, DequantizeLinear(i8[4,4] 1, s) {axis=1})", ", s)", ", ws)", lone},
    {"and no blocks", "opset 21; x: f32[4,4]; y = MatMul(x, DequantizeLinear(i8[4,4] 1, f32[] 0.1))", "f32[] 0.1)",
     "f32[2,4] 0.1) {axis=0, block_size=2}", lone},
    {"Transpose may stand between a product and its quantizer, Resize not",
     unit("u8", weight + "c = Conv(d, h); a = Transpose(c) {perm=[0,1,3,2]}"), "Transpose(c) {perm=[0,1,3,2]}",
     "Resize(c, _, f32[4] {1, 1, 2, 2})", lone},
    {"nor DepthToSpace", unit("u8", weight + "c = Conv(d, h); a = MaxPool(c) {kernel_shape=[2,2]}"),
     "MaxPool(c) {kernel_shape=[2,2]}", "DepthToSpace(c) {blocksize=2}", lone},
    {"nor Pad", unit("u8", weight + "c = Conv(d, h); a = Reshape(c, i64[2] {4, 16})"), "Reshape(c, i64[2] {4, 16})",
     "Pad(c, i64[8] {0, 0, 1, 1, 0, 0, 1, 1})", lone},
    {"Pad may stand in front of a product without a pair, Resize not",
     unit("u8", weight + "c = Pad(d, i64[8] {0, 0, 1, 1, 0, 0, 1, 1}); a = Conv(c, h)"),
     "Pad(d, i64[8] {0, 0, 1, 1, 0, 0, 1, 1})", "Resize(d, _, f32[4] {1, 1, 2, 2})", lone},
    {"nor DepthToSpace in front", unit("u8",
     "h = DequantizeLinear(i8[4,1,1,1] 1, ws) {axis=0}; c = Transpose(d) {perm=[0,1,3,2]}; a = Conv(c, h) {group=4}"),
     "c = Transpose(d) {perm=[0,1,3,2]}; a = Conv(c, h) {group=4}", "c = DepthToSpace(d) {blocksize=2}; a = Conv(c, h)",
     lone},
    {"both quantizers of a pair have one scale", sum, "QuantizeLinear(x, s, z), s, z", "QuantizeLinear(x, s, z), t, z",
     "DequantizeLinear pair_differs, wrong"},
    {"a pair is between Conv and Add", unit("u8", weight +
     "c = Conv(d, h); r = DequantizeLinear(QuantizeLinear(c, s, z), s, z); a = Add(r, e)"), "Add(r, e)", "Add(c, e)",
     lone},
    {"BatchNormalization is folded into Conv", unit("u8", weight + "r = f32[4] 1; a = Conv(d, h)"), "a = Conv(d, h)",
     "a = BatchNormalization(Conv(d, h), r, r, r, r)", lone},
    // Weights and biases.
    {"channels of int8 weights have the zero point 0", unit("u8",
     "h = DequantizeLinear(w, ws, i8[4] 0) {axis=0}; a = Conv(d, h)"), "i8[4] 0", "i8[4] 7",
     "Conv channel_zero_point, refused"},
    {"those of uint8 weights 128", unit("u8",
     "h = DequantizeLinear(u8[4,4,1,1] 1, ws, u8[4] 128) {axis=0}; a = Conv(d, h)"), "u8[4] 128", "u8[4] 127",
     "Conv channel_zero_point, refused"},
    {"int4 weights of one scale have no bias", unit("u8",
     "h = DequantizeLinear(i4[4,4,1,1] 1, s); r = f32[4] 1; a = Conv(d, h)"), "Conv(d, h)", "Conv(d, h, r)",
     "Conv bias_beside_4_bits, refused"},
    {"weights of Conv are not uint4", unit("u8",
     "h = DequantizeLinear(i4[4,4,1,1] 1, s); r = f32[4] 1; a = Conv(d, h)"),
     "h = DequantizeLinear(i4[4,4,1,1] 1, s); r = f32[4] 1; a = Conv(d, h)",
     "h = DequantizeLinear(u4[4,4,1,1] 1, s); r = f32[4] 1; a = Conv(d, h, r)", "Conv bias_beside_4_bits, refused"},
    {"weights of 16 bits are beside uint16", unit("u16", "h = DequantizeLinear(i16[4,4,1,1] 1, s); a = Conv(d, h)"),
     "z = u16[] 32768", "z = u8[] 128", "Conv dtypes, refused"},
    {"those of MatMul are left out", unit("u16", "h = DequantizeLinear(i16[4,4] 1, s); a = MatMul(f, h)"),
     "z = u16[] 32768", "z = u8[] 128", "MatMul dtypes, left to"},
    {"weights of Conv are not in blocks", unit("u8",
     "h = DequantizeLinear(i8[4,4,3,3] 1, ws) {axis=0}; a = Conv(d, h)"), "1, ws) {axis=0}",
     "1, f32[4,2,3,3] 0.1) {axis=1, block_size=2}",
     "Conv dtypes, refused"},
    {"1x1 kernels of uint16 are wrong in blocks", unit("u16", weight + "a = Conv(d, h)"), "(w, ws) {axis=0}",
     "(w, f32[4,2,1,1] 0.1) {axis=1, block_size=2}", "Conv dtypes, wrong"},
    {"MatMul of uint8 is left out in blocks", matmul, "(v, ws) {axis=1}", "(v, f32[2,4] 0.1) {axis=0, block_size=2}",
     "MatMul dtypes, left to"},
    {"that of uint16 is in float", unit("u16", columns + "a = MatMul(f, h)"), "(v, ws) {axis=1}",
     "(v, f32[2,4] 0.1) {axis=0, block_size=2}", "MatMul blocks, float"},
    {"int8 activations have int8 weights", unit("i8", weight + "a = Conv(d, h)"), "(w, ws) {axis=0}",
     "(u8[4,4,1,1] 1, s, u8[] 128)", "Conv dtypes, float"},
    {"a float weight of MatMul leaves it in float", matmul, columns, "h = f32[4,4] 1; ",
     "MatMul weight_not_quantized, float"},
    {"one of Conv is quantized when the model is loaded", conv, "h = DequantizeLinear(w, ws) {axis=0}",
     "h = f32[4,4,1,1] 1", "Conv weight_"},
    {"int16 activations have int8 weights, not uint8", unit("i16", weight + "a = Conv(d, h)"), "(w, ws) {axis=0}",
     "(u8[4,4,1,1] 1, s, u8[] 128)", "Conv dtypes, refused"},
    {"nor int16", unit("i16", weight + "a = Conv(d, h)"), "(w, ws) {axis=0}", "(i16[4,4,1,1] 1, s)",
     "Conv dtypes, refused"},
    {"int16 takes no factors of uint8", unit("i16",
     "i = DequantizeLinear(QuantizeLinear(o, s, i8[] 0), s, i8[] 0); a = MatMul(f, i)"),
     "QuantizeLinear(o, s, i8[] 0), s, i8[] 0", "QuantizeLinear(o, s, u8[] 0), s, u8[] 0", "MatMul dtypes, left to"},
    {"computed factors of uint16 become uint8", unit("u16",
     "i = DequantizeLinear(QuantizeLinear(o, s, i16[] 0), s, i16[] 0); a = MatMul(f, i)"), "MatMul(f, i)",
     "MatMul(f, g)", "MatMul narrowed_factor, warned of"},
    {"those of int16 have the zero point 0", unit("u16",
     "r = i16[] 0; i = DequantizeLinear(QuantizeLinear(o, s, r), s, r); a = MatMul(f, i)"), "r = i16[] 0; ",
     "r = i16[] 4; ", "MatMul asymmetric_16_bit_weight, left to"},
    {"uint8 takes none of uint16", unit("u8", "a = MatMul(f, g)"), "QuantizeLinear(o, s, z), s, z",
     "QuantizeLinear(o, s, u16[] 0), s, u16[] 0", "MatMul dtypes, left to"},
    {"int8 takes none of uint8", unit("i8", "a = MatMul(f, g)"), "QuantizeLinear(o, s, z), s, z",
     "QuantizeLinear(o, s, u8[] 0), s, u8[] 0", "MatMul dtypes, float"},
    {"computed factors of Gemm have 8 bits", unit("u8", "a = Gemm(f, g)"), "z = u8[] 128", "z = u16[] 128",
     "Gemm computed_16_bit_weight, left to"},
    {"scales of Conv are along axis 0", conv, "h = DequantizeLinear(w, ws) {axis=0}",
     "h = DequantizeLinear(w, ws) {axis=1}", "Conv axis, left to"},
    {"those of ConvTranspose along axis 1", unit("u8", "h = DequantizeLinear(w, ws) {axis=1}; a = ConvTranspose(d, h)"),
     "{axis=1}", "{axis=0}", "ConvTranspose axis, left to"},
    {"those of MatMul along axis 1", matmul, "{axis=1}", "{axis=0}", "MatMul axis, wrong"},
    {"those of Gemm along axis 1", gemm, "(v, ws) {axis=1}", "(v, ws) {axis=0}", "Gemm axis, wrong"},
    {"those of Gemm along axis 0 with transB", unit("u8",
     "h = DequantizeLinear(v, ws) {axis=0}; a = Gemm(f, h) {transB=1}"), "{axis=0}", "{axis=1}", "Gemm axis, wrong"},
    {"a weight may come through Transpose, not Reshape", unit("u8",
     "h = Transpose(DequantizeLinear(v, s)); a = MatMul(f, h)"), "Transpose(DequantizeLinear(v, s))",
     "Reshape(DequantizeLinear(v, s), i64[2] {4, 4})", "MatMul weight_moved, float"},
    {"a bias has 32 bits", conv, "c = DequantizeLinear(b, bs) {axis=0}", "c = DequantizeLinear(u, bs) {axis=0}", lone},
    {"that of Gemm leaves it in float", unit("u8",
     "h = DequantizeLinear(v, s); c = DequantizeLinear(b, f32[] 0.01); a = Gemm(f, h, c)"),
     "DequantizeLinear(b, f32[] 0.01)", "DequantizeLinear(u, f32[] 0.01)", "Gemm bias_dtype, float"},
    {"scales of a bias are those of the products of channels", conv, "DequantizeLinear(b, bs) {axis=0}",
     "DequantizeLinear(b, f32[] 0.01)", "Conv bias_scale_mismatch, wrong"},
    {"of 16 bits, each of them", wide_conv, "bs = f32[4] 0.001", "bs = f32[4] 0.00137",
     "Conv bias_scale_mismatch, wrong"},
    {"of Gemm, too", gemm, "bs = f32[4] 0.001", "bs = f32[4] 0.00137", "Gemm bias_scale_mismatch, wrong"},
    {"ConvTranspose has no dilations", unit("u8",
     "h = DequantizeLinear(w, ws) {axis=1}; a = ConvTranspose(d, h) {dilations=[1,1]}"), "[1,1]", "[2,2]",
     "ConvTranspose attribute, left to"},
    {"alpha is 1", gemm, "alpha=1.0", "alpha=0.5", "Gemm factors, left to"},
    {"beta is 1", gemm, "beta=1.0", "beta=0.5", "Gemm factors, left to"},
    {"a constant may be the first factor of uint8, not of int8", unit("u8",
     "r = DequantizeLinear(u8[4,4] 1, s, z); a = MatMul(r, g)"), "u8[4,4] 1, s, z", "i8[4,4] 1, s",
     "MatMul dtypes, float"},
    {"depthwise Conv is not of int16",
     unit("i16", "h = DequantizeLinear(i8[4,2,1,1] 1, ws) {axis=0}; a = Conv(d, h) {group=2}"),
     "h = DequantizeLinear(i8[4,2,1,1] 1, ws) {axis=0}; a = Conv(d, h) {group=2}",
     "h = DequantizeLinear(i8[4,1,1,1] 1, ws) {axis=0}; a = Conv(d, h) {group=4}", "Conv signed_depthwise, refused"},
    // Activations.
    {"Relu vanishes at the lowest zero point", behind_conv("u8", "a = Relu(c)", "l"), "QuantizeLinear(a, s, l), s, l",
     "QuantizeLinear(a, s, u8[] 1), s, u8[] 1", lone},
    {"that of int8 is -128", behind_conv("i8", "a = Relu(c)", "l"), "QuantizeLinear(a, s, l), s, l",
     "QuantizeLinear(a, s, z), s, z", lone},
    {"of uint16, too", behind_conv("u16", "a = Relu(c)", "l"), "QuantizeLinear(a, s, l), s, l",
     "QuantizeLinear(a, s, u16[] 3), s, u16[] 3", lone},
    {"behind Add it falls to float", edited_result(unit("u8", "c = Add(d, e); a = Relu(c)"), "l"),
     "QuantizeLinear(a, s, l), s, l", "QuantizeLinear(a, s, z), s, z", "Add activation_not_redundant, float"},
    {"Clip vanishes that bounds nothing", behind_conv("u8", "i = f32[] 0; j = f32[] 25.5; a = Clip(c, i, j)", "l"),
     "j = f32[] 25.5", "j = f32[] 25.49999", lone},
    {"no other activation vanishes", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "LeakyRelu(c)", lone},
    {"neither HardSwish", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "HardSwish(c)", lone},
    {"nor Sigmoid", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "Sigmoid(c)", lone},
    {"nor SiLU", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "Mul(c, Sigmoid(c))", lone},
    {"nor Tanh", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "Tanh(c)", lone},
    {"nor Elu", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "Elu(c)", lone},
    {"nor PRelu", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "PRelu(c, f32[4,1,1] 1)", lone},
    {"nor a Relu behind Gemm", edited_result(unit("u8", columns + "c = Gemm(f, h); a = Relu(c)"), "l"),
     "QuantizeLinear(a, s, l), s, l", "QuantizeLinear(a, s, z), s, z", "Gemm needs_quantizer, left to"},
    {"nor Gelu", behind_conv("u8", "a = Relu(c)", "l"), "Relu(c)", "Gelu(c)", lone},
    // Operators.
    {"constants are quantized", unit("u8", "h = DequantizeLinear(u, s); a = Add(d, h)"), "Add(d, h)",
     "Add(d, f32[4] 1)", "Add no_dq_input, float"},
    {"to the dtype of the other operand", unit("u8", "h = DequantizeLinear(u, s); a = Add(d, h)"), "(u, s)",
     "(i8[4] 1, s)", "Add dtypes, float"},
    {"with one scale", unit("u8", "h = DequantizeLinear(u, s); a = Add(d, h)"), "(u, s)", "(u, ws) {axis=0}",
     "Add per_axis_input, refused"},
    {"not of int32", unit("u8", "h = DequantizeLinear(u, s); a = Add(d, h)"), "(u, s)", "(b, s)", lone},
    {"Max has two operands", unit("u8", "a = Max(d, e)"), "Max(d, e)", "Max(d, e, e)", "Max further_operands, float"},
    {"slopes of uint16 lie along the last axis", unit("u16", "h = DequantizeLinear(u16[4] 1, s); a = PRelu(d, h)"),
     "h = DequantizeLinear(u16[4]", "h = DequantizeLinear(u16[4,1,1]", "PRelu channel_slope, refused"},
    {"slopes of PRelu are quantized", unit("u8", "h = DequantizeLinear(u, s); a = PRelu(d, h)"), "PRelu(d, h)",
     "PRelu(d, f32[4] 1)", "PRelu no_dq_input, float"},
    {"a scale of LayerNormalization is uint8", layer, "(u, s)", "(i8[4] 1, s)", "LayerNormalization dtypes, left to"},
    {"or int8 beside int8", unit("i8", "h = DequantizeLinear(i8[4] 1, s); a = LayerNormalization(d, h)"),
     "(i8[4] 1, s)", "(u, s)", "LayerNormalization dtypes, "},
    {"not float", layer, "h = DequantizeLinear(u, s)", "h = f32[4] 1", "LayerNormalization weight_not_quantized, float"
     },
    {"nor of channels", layer, "(u, s)", "(u, ws) {axis=0}", "LayerNormalization one_weight_scale, left to"},
    {"its bias is int32", layer, "c = DequantizeLinear(b, f32[] 0.01)", "c = f32[4] 1",
     "LayerNormalization bias_not_quantized, float"},
    {"not uint8", layer, "c = DequantizeLinear(b, ", "c = DequantizeLinear(u, ", "LayerNormalization bias_dtype, float"
     },
    {"a scale of RMSNormalization is uint8", unit("u8", "h = DequantizeLinear(u, s); a = RMSNormalization(d, h)", "23"),
     "(u, s)", "(i8[4] 1, s)", "RMSNormalization dtypes, left to"},
    {"InstanceNormalization has an int32 bias", image_norm, "c = DequantizeLinear(b, f32[] 0.01)", "c = f32[4] 1",
     "InstanceNormalization bias_not_quantized, float"},
    {"not uint8", image_norm, "c = DequantizeLinear(b, ", "c = DequantizeLinear(u, ",
     "InstanceNormalization bias_dtype, float"},
    {"and is not of int8", image_norm, "z = u8[] 128", "z = i8[] 0", "InstanceNormalization dtypes, refused"},
    {"parameters of BatchNormalization are quantized", batch_norm, "r, h, h)", "r, h, r)",
     "BatchNormalization parameters, float"},
    {"nor is it int8", batch_norm, "a = BatchNormalization(d, h, r",
     "q = DequantizeLinear(i8[4] 1, s); a = BatchNormalization(d, h, q", "BatchNormalization bias_dtype, left to"},
    {"its bias is not int32", batch_norm, "a = BatchNormalization(d, h, r",
     "q = DequantizeLinear(b, s); a = BatchNormalization(d, h, q", "BatchNormalization int32_bias, wrong"},
    {"GroupNormalization makes no session", unit("u8", "r = f32[4] 1; a = Relu(d)"), "Relu(d)",
     "GroupNormalization(d, r, r) {num_groups=2}", "GroupNormalization refused_operator, refused"},
    {"MaxPool keeps q-params", unit("u8", "a = MaxPool(d) {kernel_shape=[2,2]}"), "QuantizeLinear(a, s, z), s, z",
     "QuantizeLinear(a, t, z), t, z", "MaxPool qparams_differ, float"},
    {"MaxPool is quantized since opset 12", unit("u8", "a = MaxPool(d) {kernel_shape=[2,2]}", "13"), "opset 13",
     "opset 11", "MaxPool opset, float"},
    {"LRN is of 8 bits", unit("u8", "a = LRN(d) {size=3}"), "z = u8[] 128", "z = u16[] 128", "LRN dtypes, left to"},
    {"AveragePool does not round up", unit("u8", "a = AveragePool(d) {kernel_shape=[3,3], strides=[2,2], ceil_mode=0}"),
     "ceil_mode=0", "ceil_mode=1", "AveragePool attribute_ignored, wrong"},
    {"nor has it dilations", unit("u8", "a = AveragePool(d) {kernel_shape=[2,2], dilations=[1,1]}"), "[1,1]", "[2,2]",
     "AveragePool attribute, refused"},
    {"nor is it of int16", unit("i8", "a = AveragePool(d) {kernel_shape=[2,2]}"), "z = i8[]", "z = i16[]",
     "AveragePool dtypes, refused"},
    {"nor is GlobalAveragePool", unit("i8", "a = GlobalAveragePool(d)"), "z = i8[]", "z = i16[]",
     "GlobalAveragePool dtypes, refused"},
    {"ReduceMean is quantized, ReduceL2 in float", unit("u8", "a = ReduceMean(d, i64[1] 1)"), "ReduceMean",
     "ReduceProd", "ReduceProd not_in_backend, left to"},
    {"nor ReduceL1", unit("u8", "a = ReduceMean(d, i64[1] 1)"), "ReduceMean", "ReduceL1",
     "ReduceL1 not_in_backend, left to"},
    {"nor ReduceSumSquare", unit("u8", "a = ReduceMean(d, i64[1] 1)"), "ReduceMean", "ReduceSumSquare",
     "ReduceSumSquare not_in_backend, left to"},
    {"Greater has one dtype", "opset 21; x: f32[4]; s = f32[] 0.1; z = u8[] 0; "
     "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); e = DequantizeLinear(QuantizeLinear(x, s, z), s, z); "
     "y = Greater(d, e)", "e = DequantizeLinear(QuantizeLinear(x, s, z), s, z)",
     "e = DequantizeLinear(QuantizeLinear(x, s, u16[] 0), s, u16[] 0)", "Greater dtypes, float"},
    {"Reshape keeps q-params", unit("u8", "a = Reshape(d, i64[2] {4, 16})"), "QuantizeLinear(a, s, z), s, z",
     "QuantizeLinear(a, t, z), t, z", "Reshape qparams_differ, float"},
    {"Gather does", embedding, "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, f32[] 0.2, z), f32[] 0.2, z",
     "Gather qparams_differ, float"},
    {"and its result is quantized", embedding, "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)", "y = Neg(a)",
     "Gather output_not_quantized, float"},
    {"tables have one scale", embedding, "(u8[9,4] 1, s, z)", "(i8[9,4] 1, f32[4] 0.1) {axis=1}", lone},
    {"SpaceToDepth takes its q-params for those of its result", unit("u8", "a = SpaceToDepth(d) {blocksize=2}"),
     "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, t, z), t, z", "SpaceToDepth qparams_differ, wrong"},
    {"Concat has one dtype", unit("u8", "a = Concat(d, e) {axis=1}"), "QuantizeLinear(n, s, z), s, z",
     "QuantizeLinear(n, s, u16[] 0), s, u16[] 0", "Concat dtypes, float"},
    {"and quantized constants", unit("u8", "a = Concat(d, e) {axis=1}"), "Concat(d, e)", "Concat(d, f32[1,4,4,4] 1)",
     "Concat no_dq_input, float"},
    {"Where has one dtype", unit("u8", "i: bool[1,4,4,4]; a = Where(i, d, e)"), "QuantizeLinear(n, s, z), s, z",
     "QuantizeLinear(n, s, u16[] 0), s, u16[] 0", "Where dtypes, float"},
    {"Softmax of int8 gives the zero point -128", edited_result(unit("i8", "a = Softmax(d)"), "l"),
     "QuantizeLinear(a, s, l), s, l", "QuantizeLinear(a, s, z), s, z", "Softmax lowest_zero_point, wrong"},
    {"CumSum is along the last axis", unit("u8", "a = CumSum(d, i64[] 3)"), "i64[] 3", "i64[] 1",
     "CumSum last_axis, wrong"},
    {"Erf is in Gelu alone",
     "opset 21; x: f32[4]; y = Mul(Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)",
     "y = Mul(Mul(x, Add(Erf(Div(x, f32[] 1.4142135)), f32[] 1)), f32[] 0.5)", "y = Erf(x)",
     "Erf not_in_backend, left to"},
    {"Mish is in float, Celu is left out", "opset 21; x: f32[4]; y = Mish(x)", "Mish", "Celu",
     "Celu not_in_backend, left to"},
    {"and Softsign is", "opset 21; x: f32[4]; y = Mish(x)", "Mish", "Softsign", "Softsign not_in_backend, left to"},
    {"QLinearMatMul is taken, MatMulInteger is not",
     "opset 21; p: u8[4,4]; s = f32[] 0.1; z = u8[] 0; y = QLinearMatMul(p, s, z, p, s, z, s, z)",
     "QLinearMatMul(p, s, z, p, s, z, s, z)", "MatMulInteger(p, p)", "MatMulInteger not_in_backend, left to"},
    {"Log has 8 bits", unit("u8", "a = Log(d)"), "z = u8[]", "z = u16[]", "Log dtypes, wrong"},
    {"and Softplus has", unit("u8", "a = Softplus(d)"), "z = u8[]", "z = u16[]", "Softplus dtypes, wrong"},
};

}  // namespace

TEST_CASE("each fact about QNN HTP has a model that fits it, and one that does not", "[quantize]") {
  check_facts(facts, targets::qnn_htp);
}

TEST_CASE("HTP before v73 takes no weights of 16 bits, and v68 has no floats of 16", "[quantize]") {
  struct Row {
    std::string text, v69, v68;
  };
  const std::string refused = "Conv dtypes, refused", left_out = " dtypes, left to another backend";
  const std::string constant = "MatMul constant_16_bit_weight, left to another backend";
  const std::string normalized = "c = DequantizeLinear(b, f32[] 0.01); a = LayerNormalization(d, h, c)";
  const std::string floats = "opset 21; x: f32[1,4,4,4]; v = f32[4] 1; ";
  const std::string factor = "r = i16[] 0; i = DequantizeLinear(QuantizeLinear(o, s, r), s, r); a = MatMul(f, i)";
  for (const auto& [text, v69, v68] :
       {Row{unit("u8", weight + "a = Conv(d, h)"), "", ""},
        Row{wide_conv, "Conv coarse_16_bits, noted", "Conv coarse_16_bits, noted"},
        Row{unit("u16", "h = DequantizeLinear(i16[4,4,1,1] 1, s); a = Conv(d, h)"), refused, refused},
        Row{unit("u16", "h = DequantizeLinear(i16[4,4] 1, s); a = MatMul(f, h)"), "MatMul" + left_out,
            "MatMul" + left_out},
        Row{unit("u16", "h = DequantizeLinear(u16[4,4] 1, s); a = MatMul(f, h)"),
            constant, constant},
        Row{unit("u16", "h = DequantizeLinear(u16[4,4] 1, s); a = Gemm(f, h)"), "Gemm" + left_out, "Gemm" + left_out},
        Row{unit("u16", factor), "MatMul" + left_out, "MatMul" + left_out},
        Row{unit("u16", "h = DequantizeLinear(u, s); " + normalized), "", ""},
        Row{unit("u16", "h = DequantizeLinear(u16[4] 1, s); " + normalized), "LayerNormalization" + left_out,
            "LayerNormalization" + left_out},
        Row{unit("u16", "h = DequantizeLinear(u16[4] 1, s); r = f32[4] 1; a = BatchNormalization(d, h, r, h, h)"),
            "BatchNormalization dtypes, refused", "BatchNormalization dtypes, refused"},
        Row{floats + "y = Sigmoid(x)", "Sigmoid no_dq_input, float", "Sigmoid no_dq_input, float"},
        Row{floats + "y = Gelu(x)", "Gelu no_dq_input, float", "Gelu no_dq_input, refused"},
        Row{floats + "y = Selu(x)", "", "Selu float_operator, refused"},
        Row{floats + "y = InstanceNormalization(x, v, v)", "InstanceNormalization no_dq_input, float",
            "InstanceNormalization no_dq_input, refused"},
        Row{unit("u8", "a = Gelu(d)"), "", ""}}) {
    INFO(text);
    for (const std::string none : {", left to", ", refused", ", wrong"})
      CHECK_THAT(unusual_outcomes(text, targets::qnn_htp), !Catch::Contains(none));
    CHECK(unusual_outcomes(text, targets::qnn_htp_v69) == v69);
    CHECK(unusual_outcomes(text, targets::qnn_htp_v68) == v68);
  }
}

TEST_CASE("QNN HTP computes each of these in integers, whatever its dtype", "[quantize]") {
  const std::vector<std::string> unary{"Relu(d)", "Sigmoid(d)", "Tanh(d)", "Gelu(d)", "Softmax(d)", "Transpose(d)",
                                       "Slice(d, i64[1] 1, i64[1] 3, i64[1] 1)", "ReduceMean(d, i64[1] 1)"},
      binary{"Add(d, e)", "Sub(d, e)", "Mul(d, e)", "Div(d, e)", "Max(d, e)", "Concat(d, e) {axis=1}"};
  const std::vector<std::string> not_of_i16{"Min(d, e)", "Pow(d, e)", "HardSwish(d)", "Exp(d)", "Sqrt(d)",
                                            "Abs(d)", "Clip(d)", "AveragePool(d) {kernel_shape=[2,2]}"};
  const std::vector<std::string> unsigned_only{"LeakyRelu(d)", "HardSigmoid(d)", "Neg(d)", "LogSoftmax(d)"};
  for (const std::string dtype : {"u8", "u16", "i8", "i16"}) {
    const auto outcome = [&](const std::string& op) {
      INFO(dtype << " " << op);
      const std::string zero_point = dtype == "i8" && op.starts_with("Softmax") ? "l" : "z";
      return unusual_outcomes(edited_result(unit(dtype, "a = " + op), zero_point), targets::qnn_htp);
    };
    const bool is_unsigned = dtype.starts_with("u");
    for (const auto* const ops : {&unary, &binary, &not_of_i16, &unsigned_only})
      for (const std::string& op : *ops) {
        INFO(dtype << " " << op);
        const bool is_unit = ops == &not_of_i16 ? dtype != "i16" : ops == &unsigned_only ? is_unsigned : true;
        CHECK((outcome(op) == "") == is_unit);
        if (!is_unit) CHECK_THAT(outcome(op), Catch::Contains(" dtypes, "));
      }
    for (const std::string product : {"Conv(d, h)", "MatMul(f, h)", "Gemm(f, h)"}) {
      INFO(dtype << " " << product);
      const std::string weights = product.starts_with("Conv") ? weight : columns;
      CHECK(unusual_outcomes(unit(dtype, weights + "a = " + product), targets::qnn_htp) == "");
    }
  }
}

TEST_CASE("QNN HTP takes these models, too", "[quantize]") {
  const std::vector<std::string> alike{
      unit("u8", weight + "a = Conv(d, h)", "13"),
      unit("u8", weight + "a = Conv(d, h)", "23"),
      unit("u8", weight + "a = Conv(d, h, f32[4] 1)"),
      unit("u8", "r = f32[1] 0.1; q = DequantizeLinear(QuantizeLinear(x, r, u8[1] 128), r, u8[1] 128); a = Relu(q)"),
      unit("u8", "q = DequantizeLinear(QuantizeLinear(x, s), s); a = Relu(q)"),
      unit("u8", weight + "i = DequantizeLinear(p, s, z); a = Conv(i, h)"),
      unit("u8", weight + "c = Conv(d, h); r = DequantizeLinear(QuantizeLinear(c, s, z), s, z); j = Conv(d, h); "
                          "q = DequantizeLinear(QuantizeLinear(j, s, z), s, z); a = Add(r, q)"),
      unit("u8", "q = DequantizeLinear(QuantizeLinear(d, t, z), t, z); a = Relu(q)"),
      unit("u16", "q = DequantizeLinear(QuantizeLinear(e, s, u8[] 0), s, u8[] 0); a = Relu(d); "
                  "j = Relu(q); r = DequantizeLinear(QuantizeLinear(j, s, u8[] 0), s, u8[] 0)"),
      unit("u8", "h = DequantizeLinear(QuantizeLinear(f32[4,4,1,1] 1, s, i8[] 0), s, i8[] 0); a = Conv(d, h)"),
      unit("u8", "h = DequantizeLinear(w, s, i8[] 7); a = Conv(d, h)"),
      unit("u16", "h = DequantizeLinear(i4[4,4,1,1] 1, ws) {axis=0}; a = Conv(d, h, f32[4] 1)"),
      unit("u8", "h = DequantizeLinear(w, s); c = DequantizeLinear(b, f32[] 0.7); a = Conv(d, h, c)"),
      unit("u8", "h = DequantizeLinear(u, s); a = LayerNormalization(d, h)"),
      unit("u8", "a = Split(d) {axis=1, num_outputs=2}"),
      edited_result(unit("u8", "a = Slice(d, i64[1] 1, i64[1] 3, i64[1] 1)"), "l"),
      edited_result(unit("u8", "a = DepthToSpace(d) {blocksize=2}"), "l"),
      edited_result(unit("u8", weight + "c = Conv(d, h); r = DequantizeLinear(QuantizeLinear(c, s, z), s, z); "
                                        "a = Clip(r, f32[] 0, f32[] 1)"), "z"),
      unit("u8", "a = ReduceMean(d, i64[2] {2, 3}) {keepdims=0}"),
      "opset 21; x: f32[1,4,4,4]; s = f32[] 0.1; z = u8[] 0; y = ArgMax(DequantizeLinear(QuantizeLinear(x, s, z), s, "
          "z))",
      "opset 21; x: f32[4]; s = f32[] 0.1; z = u8[] 0; d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); "
      "y = Greater(d, d)"};
  for (const std::string& text : alike) {
    INFO(text);
    CHECK_THAT(unusual_outcomes(text, targets::qnn_htp), !Catch::Contains(", left to") && !Catch::Contains(
        ", refused") && !Catch::Contains(", wrong") && !Catch::Contains(", float"));
  }
}
