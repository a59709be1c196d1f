// Each row of the table of kernel conditions has a model that fails it.
#include <graft/quantize/kernel/condition.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/quantize/kernel/quantizable.hpp>
#include <graft/quantize/target/targets.hpp>
#include <graft/testing/text.hpp>

#include "quantize/nets.hpp"
#include "quantize/one_branch.hpp"
#include "quantize/symmetric_target.hpp"

using namespace graft;

namespace {

constexpr ConditionStage planned = ConditionStage::planned, quantized = ConditionStage::quantized;

/// A model whose node that makes `a` passes a row, the nth of its code; and the edit of its text that makes it fail.
struct RowCase {
  std::string code;
  std::size_t nth;
  std::string target;
  ConditionStage stage;
  std::string text, from, to;
};

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  if (place == std::string::npos) throw Error("'" + from + "' is not in the text of a case");
  return text.replace(place, from.size(), to);
}

const Target& target_called(const std::string& name) {
  if (name == one_branch.name) return one_branch;
  static const Target float8 = with_activations(targets::tensorrt, DType::f8e4m3fn);
  if (name == "tensorrt in f8e4m3fn") return float8;
  return name == symmetric::target.name ? symmetric::target : targets::named(name);
}

/// The rows that a node fails, up to the one that ends the walk: "code#nth".
std::set<std::string> failed_rows(const std::string& text, const RowCase& test) {
  const Model model = graph(text);
  const Target& target = target_called(test.target);
  const Node& node = node_making(model, "a");
  detail::Surroundings around(target);
  const KernelView view(node, target, test.stage, around);
  std::set<std::string> failed;
  std::map<std::string_view, std::size_t> seen;
  const KernelCondition* const first = test.stage == planned ? first_failed(view, planned).row : nullptr;
  for (const KernelCondition& row : kernel_conditions()) {
    const std::string name = std::string(row.code) + "#" + std::to_string(seen[row.code]++);
    if (&row == first) return {name};
    if (test.stage == planned || !row.stages.contains(quantized) || !row.concerns(view) || row.check(view)) continue;
    failed.insert(name);
    if (row.effect == ConditionEffect::in_float || row.effect == ConditionEffect::computed) break;
  }
  return failed;
}

/// Activations of 8 bits around 128 or 0, or two scales along axis 1; weights of one scale, or of two.
const std::string head =
    "opset 13; x: f32[1,2,4,4]; r: f32[]; e: f32[2]; p: u8[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = u8[] 0; "
    "s1 = f32[1] 0.1; z1 = u8[1] 128; s2 = f32[2] {0.1, 0.2}; z2 = u8[2] 128; ws = f32[] 0.01; wz = i8[] 0; "
    "w = i8[2,2,1,1] {1, 2, 3, 4}; ws2 = f32[2] {0.01, 0.02}; wz2 = i8[2] {0, 0}; b = i32[2] {5, 6}; bs = f32[] "
    "0.001; ";
const std::string in = "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); ";
const std::string out = "; y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
const std::string weight = "v = DequantizeLinear(w, ws, wz); ";
const std::string conv = head + in + weight + "c = DequantizeLinear(b, bs); a = Conv(d, v, c)" + out;
const std::string without_bias = head + in + weight + "a = Conv(d, v)" + out;
const std::string shared = head + in + "g = DequantizeLinear(p, s, z); a = Add(d, g)" + out;
const std::string pool = head + in + "a = MaxPool(d) {kernel_shape=[2,2]}" + out;
const std::string average = head + in + "a = AveragePool(d) {kernel_shape=[2,2]}" + out;
const std::string relu = head + in + weight +
                         "a = Conv(d, v); h = Relu(a); "
                         "y = DequantizeLinear(QuantizeLinear(h, s, z0), s, z0)";
const std::string resize = head + in + "a = Resize(d, _, f32[4] {1, 1, 2, 2}) {mode=\"nearest\"}" + out;
const std::string concat =
    head + in + "g = DequantizeLinear(QuantizeLinear(x, s, z), s, z); a = Concat(d, g) {axis=1}" + out;
const std::string matrix =
    "opset 13; m: f32[4,2]; s = f32[] 0.1; z = u8[] 128; z0 = u8[] 0; ws = f32[] 0.01; wz = i8[] 0; w = i8[2,3] 1; "
    "ws3 = f32[3] {0.01, 0.02, 0.03}; wz3 = i8[3] 0; d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); ";
const std::string gemm = matrix + "v = DequantizeLinear(w, ws, wz); a = Gemm(d, v) {alpha=1.0}" + out;
const std::string gemm_per_channel = matrix + "v = DequantizeLinear(w, ws3, wz3) {axis=1}; a = Gemm(d, v)" + out;
const std::string biased = matrix +
                           "v = DequantizeLinear(w, ws, wz); c = DequantizeLinear(i32[3] 5, f32[] 0.001); "
                           "a = Gemm(d, v, c) {beta=1.0}" +
                           out;
const std::string sum = matrix +
                        "k = f32[3] random; v = DequantizeLinear(w, ws, wz); a = MatMul(d, v); h = Add(a, k); "
                        "y = DequantizeLinear(QuantizeLinear(h, s, z), s, z)";
const std::string batched =
    "opset 13; m: f32[2,4,2]; s = f32[] 0.1; z = u8[] 128; ws = f32[3] 0.01; "
    "d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); "
    "v = DequantizeLinear(i8[2,3] 1, ws) {axis=1}; a = MatMul(d, v)" +
    out;
const std::string softmax =
    "opset 13; m: f32[4,4]; s = f32[] 0.1; z = u8[] 0; o = f32[] 0.00392157; "
    "d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); a = Softmax(d); "
    "y = DequantizeLinear(QuantizeLinear(a, o, z), o, z)";
const std::string tiles =
    "opset 13; m: f32[64,4]; s = f32[] 0.1; z = u8[] 128; "
    "d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); "
    "v = DequantizeLinear(i8[4,32] 1, f32[] 0.01, i8[] 0); a = MatMul(d, v)" +
    out;
const std::string int8_sum =
    "opset 13; p: i8[4]; s = f32[] 0.1; t = i8[] 0; d = DequantizeLinear(p, s); a = Add(d, d); "
    "y = DequantizeLinear(QuantizeLinear(a, s, t), s, t)";
const std::string in_float =
    "opset 13; x: f32[1,2,4,4]; half: f16[1,2,4,4]; e: f32[2]; u: f32[2,2,1,1]; k = f32[1,2,4,4] random; "
    "w = f32[2,2,1,1] random; o: f32[2,2,1,1] = random; ob: f32[2] = random; ox: f32[1,2,4,4] = random; "
    "large = f32[1,2,4,4] inf; ";
const std::string float_conv = in_float + "a = Conv(x, w, f32[2] random); y = Neg(a)";
const std::string float_add = in_float + "a = Add(x, k); y = Neg(a)";
const std::string float_pool = in_float + "a = MaxPool(x) {kernel_shape=[2,2]}; y = Neg(a)";
const std::string float_gemm = "opset 13; m: f32[4,2]; w = f32[2,3] random; a = Gemm(m, w, f32[3] random) {alpha=1.0}";
const std::string moved =
    "opset 17; x: f32[1,8,4]; c: bool[]; a = DequantizeLinear(QuantizeLinear(x, f32[] 0.1, u8[] 0), "
    "f32[] 0.1, u8[] 0); t = Transpose(a) {perm=[0,2,1]}; ";

const std::string residual =
    head + in + weight +
    "skip: f32[1,2,4,4]; g = DequantizeLinear(QuantizeLinear(skip, s, z), s, z); a = Conv(d, v); h = Add(a, g); "
    "y = DequantizeLinear(QuantizeLinear(h, s, z), s, z)";

/// int8 around 0, as TensorRT reads it.
const std::string symmetric_pair =
    "opset 13; x: f32[1,32,4,4]; r: f32[]; u: f32[N]; p: u8[1,32,4,4]; t: i8[1,32,4,4]; s = f32[] 0.1; z = i8[] 0; "
    "s32 = f32[32] 0.1; z32 = i8[32] 0; ";
const std::string attention =
    "opset 13; q: f32[1,2,64,32]; k: f32[1,2,32,64]; v: f32[1,2,64,32]; m: f32[1,1,64,64]; a = MatMul(q, k); "
    "y = MatMul(Softmax(Mul(a, f32[] 0.2)), v)";

const std::string tensorrt = "tensorrt";
const std::string whole_attention = "opset 23; q: f32[1,2,4,8]; k: f32[1,2,4,8]; a = Attention(q, k, k)";
const std::string behind_conv =
    "opset 17; x: f32[1,32,8,8]; g = f32[32] 1; s = f32[] 0.1; z = i8[] 0; c = Conv(x, f32[32,32,3,3] random); "
    "t = Transpose(c) {perm=[0,2,3,1]}; r = Relu(t); a = LayerNormalization(t, g)";
/// Of 16 bits: a product with a second factor f, or with a constant.
const std::string wide =
    "opset 21; m: f32[4,2]; n: f32[2,3]; s = f32[] 0.1; z = u16[] 0; d = DequantizeLinear(QuantizeLinear(m, s, z), s, "
    "z); f = DequantizeLinear(QuantizeLinear(n, s, z), s, z); k = DequantizeLinear(u16[2,3] 1, s, z); ";
const std::string wide_out = "; y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)";
const std::string signed_factor = wide + "t = i16[] 0; g = DequantizeLinear(QuantizeLinear(n, s, t), s, t); "
                                         "a = MatMul(d, g)" + wide_out;
const std::string batch_normalization =
    head + in +
    "g = DequantizeLinear(u8[2] 9, s, z0); k = f32[2] random; i = DequantizeLinear(b, s); o = f32[2] 1; "
    "a = BatchNormalization(d, g, k, g, g)" + out;
const std::string layer_normalization =
    head + in + "l = f32[4] 0.1; g = DequantizeLinear(u8[4] 9, s); a = LayerNormalization(d, g)" + out;
const std::string slopes =
    "opset 21; x: f32[1,2,4,4]; s = f32[] 0.1; z = u16[] 0; d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); "
    "g = DequantizeLinear(u16[1,1,4] 1, s, z); a = PRelu(d, g)" + wide_out;
const std::string any_dtype = "opset 21; p: u8[1,4]; s = f32[] 0.1; z = u8[] 0; d = DequantizeLinear(p, s, z); ";

/// Of TensorRT.
const std::string int8_pair =
    "opset 21; x: f32[1,2,4,4]; s = f32[] 0.1; z = i8[] 0; v = DequantizeLinear(i8[2,2,1,1] 1, s); "
    "d = DequantizeLinear(QuantizeLinear(x, s, z), s, z); ";

const std::string x64 = "ort-cpu-x64", arm64 = "ort-cpu-arm64", onednn = "onednn", openvino = "openvino-cpu",
                  qnn = "qnn-htp";

const std::vector<RowCase>& row_cases() {
  static const std::vector<RowCase> cases{
      {"opset_unread", 0, tensorrt, quantized, "opset 9; x: f32[4]; a = Relu(x)", "opset 9", "opset 8"},
      {"other_domain", 0, tensorrt, quantized, "x: f32[4]; a = com.microsoft::Gelu(x)", "Gelu", "QuickGelu"},
      {"integer_operator", 0, tensorrt, quantized, "x: f32[4]; w: u8[4,4]; a = Cast(x) {to=f32}",
       "Cast(x) {to=f32}", "MatMulInteger(w, w)"},
      {"uint8_tensor", 0, tensorrt, quantized, "x: f32[4]; a = Cast(x) {to=u8}; y = Cast(a) {to=f32}; return y, a",
       "return y, a", "return y"},
      {"pool", 0, tensorrt, planned, "opset 13; x: f32[1,2,4,4]; a = AveragePool(x) {kernel_shape=[2,2]}",
       "x: f32[1,2,4,4]; a = AveragePool(x) {kernel_shape=[2,2]}",
       "x: f32[1,2,4]; a = AveragePool(x) {kernel_shape=[2]}"},
      {"pool", 0, tensorrt, quantized,
       "opset 13; x: f32[1,2,4,4]; a = MaxPool(x) {kernel_shape=[2,2], dilations=[1,1]}", "dilations=[1,1]",
       "dilations=[1,2]"},
      {"pool", 0, tensorrt, quantized, "opset 13; x: f32[1,2,4,4]; a = MaxPool(x) {kernel_shape=[2,2]}", "a = MaxPool",
       "a, i = MaxPool"},
      {"resize", 0, tensorrt, quantized,
       "opset 18; x: f32[1,2,4,4]; a = Resize(x, _, f32[4] {1, 1, 2, 2}) {mode=\"linear\", antialias=0}",
       "antialias=0", "antialias=1"},
      {"resize", 0, tensorrt, planned,
       "opset 18; x: f32[1,2,4,4]; a = Resize(x, _, _, i64[4] {1, 2, 8, 8}) "
       "{keep_aspect_ratio_policy=\"stretch\"}",
       "stretch", "not_larger"},
      {"bias_refused", 0, tensorrt, quantized, "b = i8[4] 5; a = DequantizeLinear(b, f32[] 0.1)", "i8[4]", "i32[4]"},
      {"dtype_unstated", 0, tensorrt, quantized, symmetric_pair + "a = QuantizeLinear(x, s, z)", "(x, s, z)", "(x, s)"},
      {"dtype_refused", 0, tensorrt, quantized, symmetric_pair + "a = DequantizeLinear(t, s)", "(t, s)", "(p, s)"},
      {"dtype_refused", 0, tensorrt, quantized, edited(symmetric_pair, "13", "21") + "a = QuantizeLinear(x, s, z)",
       "z = i8[]", "z = i16[]"},
      {"dtype_refused", 1, tensorrt, quantized, edited(symmetric_pair, "13", "21") + "a = QuantizeLinear(x, s, z)",
       "z = i8[]", "z = i4[]"},
      {"zero_point_refused", 0, tensorrt, quantized, symmetric_pair + "a = QuantizeLinear(x, s, z)", "z = i8[] 0",
       "z = i8[] -1"},
      {"zero_point_refused", 0, tensorrt, quantized, symmetric_pair + "a = DequantizeLinear(t, s, z)", "z = i8[] 0",
       "z: i8[]"},
      {"axis_unstated", 0, tensorrt, quantized, symmetric_pair + "a = DequantizeLinear(t, s32, z32) {axis=1}",
       " {axis=1}", ""},
      {"scale_refused", 0, tensorrt, quantized, symmetric_pair + "a = DequantizeLinear(t, s)", "s = f32[] 0.1",
       "s = f32[] 0"},
      {"scale_refused", 0, tensorrt, quantized, symmetric_pair + "a = DequantizeLinear(t, r)", "(t, r)", "(t, u)"},
      {"scale_refused", 1, tensorrt, quantized,
       "opset 21; w = i4[64,64] 1; a = DequantizeLinear(w, f32[1,64] 0.1) {axis=0, block_size=64}",
       "w = i4[64,64] 1; a = DequantizeLinear(w, f32[1,64] 0.1)",
       "w = i4[64,64] 1; a = DequantizeLinear(w, f32[1,32] 0.1)"},
      {"attention_refused", 0, tensorrt, quantized, whole_attention, "k: f32[1,2,4,8]", "k: f32[1,4,8]"},
      {"attention_refused", 0, tensorrt, quantized, whole_attention, "a = Attention(q, k, k)",
       "a = Attention(q, k, k, _, k, k)"},
      {"attention_refused", 0, tensorrt, quantized, whole_attention, "a = Attention", "a, p, o = Attention"},
      {"attention", 0, tensorrt, planned, attention, "Softmax(Mul(a, f32[] 0.2))", "Softmax(Add(a, m))"},
      {"attention", 0, tensorrt, planned,
       "opset 13; q: f32[1,2,64,32]; k: f32[1,2,32,64]; v: f32[1,2,64,32]; m: f32[1,1,64,64]; c = MatMul(q, k); "
       "a = MatMul(Softmax(Mul(c, f32[] 0.2)), v)",
       "Mul(c, f32[] 0.2)", "Add(c, m)"},
      {"attention", 0, tensorrt, planned,
       edited(edited(attention, "32,64]", "32,512]"), "v: f32[1,2,64", "v: f32[1,2,512"),
       "k: f32[1,2,32,512]; v: f32[1,2,512", "k: f32[1,2,32,513]; v: f32[1,2,513"},
      {"attention", 1, "tensorrt in f8e4m3fn", planned,
       "opset 19; q: f32[1,2,64,9]; k: f32[1,2,9,64]; a = MatMul(q, k); y = Softmax(a)",
       "q: f32[1,2,64,9]; k: f32[1,2,9", "q: f32[1,2,64,8]; k: f32[1,2,8"},
      {"attention", 1, "tensorrt in f8e4m3fn", planned,
       "opset 19; p: f32[1,2,64,64]; v: f32[1,2,64,256]; a = MatMul(Softmax(p), v)", "64,256]", "64,257]"},
      {"not_behind_conv", 0, tensorrt, planned, behind_conv, "LayerNormalization(t, g)", "LayerNormalization(r, g)"},
      {"not_behind_conv", 0, tensorrt, quantized,
       edited(edited(behind_conv, "t = Transpose(c)", "t = Transpose(DequantizeLinear(QuantizeLinear(c, s, z), s, z))"),
              "r = Relu(t)", "r = DequantizeLinear(QuantizeLinear(Relu(c), s, z), s, z)"),
       "LayerNormalization(t, g)", "LayerNormalization(r, g)"},
      {"small", 0, "tensorrt in f8e4m3fn", planned,
       "opset 19; x: f32[1,17,9,9]; a = Conv(x, f32[17,17,4,8] random)", "4,8]", "5,7]"},
      {"small", 0, "tensorrt in f8e4m3fn", planned,
       "opset 19; x: f32[1,17,9,9]; a = Conv(x, f32[17,17,3,3] random)", "f32[17,", "f32[16,"},
      {"score_factor", 0, "tensorrt in f8e4m3fn", quantized,
       "opset 19; q: f8e4m3fn[1,2,64,32]; k: f8e4m3fn[1,2,32,64]; s = f32[] 0.1; a = MatMul(DequantizeLinear(q, s), "
       "DequantizeLinear(k, s)); y = Softmax(a)",
       "Softmax(a)", "Softmax(Mul(a, f32[] 0.2))"},
      {"attention_in_float", 0, "tensorrt in f8e4m3fn", quantized,
       "opset 19; p: f32[1,2,64,64]; v: f8e4m3fn[1,2,64,32]; s = f32[] 0.1; z = f8e4m3fn[] 0; e = Softmax(p); "
       "d = DequantizeLinear(QuantizeLinear(e, s, z), s, z); a = MatMul(d, DequantizeLinear(v, s)); "
       "y = QuantizeLinear(a, s, z)",
       "y = QuantizeLinear(a, s, z)", "y = Neg(a)"},
      {"split_chain", 0, tensorrt, quantized,
       "opset 13; x: i8[1,32,4,4]; s = f32[] 0.1; z = i8[] 0; a = Conv(DequantizeLinear(x, s), "
       "DequantizeLinear(i8[32,32,1,1] 1, s)); h = Relu(a); y = DequantizeLinear(QuantizeLinear(h, s, z), s, z)",
       "Relu(a)", "Relu(DequantizeLinear(QuantizeLinear(a, s, z), s, z))"},
      {"small", 1, tensorrt, quantized,
       "opset 13; t: i8[4,32]; s = f32[] 0.1; a = MatMul(DequantizeLinear(t, s), DequantizeLinear(i8[32,16] 1, s))",
       "i8[32,16] 1", "i8[32,15] 1"},
      {"no_kernel", 0, x64, planned, float_add, "Add(x, k)", "Neg(x)"},
      {"outputs", 0, x64, planned, float_pool, "a = MaxPool", "a, i = MaxPool"},
      {"constant", 0, x64, planned, float_add, "Add(x, k)", "Add(k, k)"},
      {"opset", 0, x64, planned, float_pool, "opset 13", "opset 11"},
      {"opset", 1, x64, planned, float_pool, "opset 13", "opset 22"},
      {"shared_qparams", 0, onednn, planned, float_pool, "MaxPool(x) {kernel_shape=[2,2]}", "Concat(x, x) {axis=1}"},
      {"constant_input", 0, x64, planned, float_conv, "Conv(x,", "Conv(k,"},
      {"not_float32", 0, x64, planned, in_float + "a = MaxPool(x) {kernel_shape=[2,2]}", "MaxPool(x)", "MaxPool(half)"},
      {"rescales_integers", 0, x64, planned,
       "opset 13; f: f32[4,4]; p: u8[4,2]; q = MatMulInteger(p, u8[2,4] 1); k = Cast(q) {to=f32}; a = Mul(f, f32[] 2)",
       "Mul(f,", "Mul(k,"},
      {"overridable_weight", 0, x64, planned, float_conv, "Conv(x, w", "Conv(x, o"},
      {"overridable_bias", 0, x64, planned, float_conv, "w, f32[2] random", "w, ob"},
      {"overridable_input", 0, x64, planned, float_add, "Add(x, k)", "Add(x, ox)"},
      {"merges_constants", 0, openvino, planned, in_float + "a = Add(x, x)", "Add(x, x)", "Add(x, k)"},
      {"not_finite", 0, x64, planned, float_add, "Add(x, k)", "Add(x, large)"},
      {"bias_not_constant", 0, x64, planned, float_conv, "w, f32[2] random", "w, e"},
      {"alpha", 0, onednn, planned, float_gemm, "alpha=1.0", "alpha=2.0"},
      {"alpha", 1, x64, planned, float_gemm, "alpha=1.0", "alpha=-1.0"},
      {"beta", 0, x64, quantized, biased, "beta=1.0", "beta=2.0"},
      {"bias_shape", 0, x64, planned, float_gemm, "f32[3] random", "f32[4,3] random"},
      {"no_dq_input", 0, x64, quantized, conv, "Conv(d, v, c)", "Conv(x, v, c)"},
      {"no_dq_input", 1, x64, quantized,
       "opset 13; x: f32[1,64,56,56]; s = f32[] 0.1; z = u8[] 128; d = DequantizeLinear(QuantizeLinear(x, s, z), s, "
       "z); "
       "v = DequantizeLinear(i8[64,64,3,3] 1, s); a = Conv(d, v)" +
           out,
       "Conv(d, v)", "Conv(x, v)"},
      {"dynamic_qparams", 0, onednn, quantized, without_bias, "(x, s, z), s, z)", "(x, r, z), r, z)"},
      {"shared_dequantizer", 0, onednn, quantized, without_bias, "a = Conv(d, v)", "a = Conv(d, v); h = Neg(d)"},
      {"dtypes", 0, x64, quantized, edited(shared, "(p, s, z)", "(p, s, z0)"),
       "p: u8[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = u8[]",
       "p: i8[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = i8[]"},
      {"per_axis_input", 1, x64, quantized, conv, "(QuantizeLinear(x, s, z), s, z)",
       "(QuantizeLinear(x, s2, z2), s2, z2)"},
      {"scale_rank", 0, x64, quantized, shared, "(QuantizeLinear(x, s, z), s, z)",
       "(QuantizeLinear(x, s1, z1), s1, z1)"},
      {"scale_rank", 1, x64 + "@1.32", quantized, shared, "(QuantizeLinear(x, s, z), s, z)",
       "(QuantizeLinear(x, s1, z1), s1, z1)"},
      {"scale_rank", 2, x64, quantized, shared, "(QuantizeLinear(a, s, z), s, z)",
       "(QuantizeLinear(a, s1, z1), s1, z1)"},
      {"joined_qparams", 0, openvino, quantized,
       head + in +
           "g = DequantizeLinear(p, s, z); j = Concat(d, g) {axis=1}; "
           "v = DequantizeLinear(i8[2,4,1,1] 1, ws, wz); a = Conv(j, v)" +
           out,
       "(p, s, z)", "(p, bs, z)"},
      {"qparams", 0, x64, quantized, pool, "(QuantizeLinear(x, s, z), s, z)", "(QuantizeLinear(x, s), s)"},
      {"dtypes", 1, arm64, quantized,
       "opset 13; p: u8[1,4,4,4]; s = f32[] 0.1; z = u8[] 0; d = DequantizeLinear(p, s, z); "
       "a = DepthToSpace(d) {blocksize=2}" +
           out,
       "p: u8[1,4,4,4]; s = f32[] 0.1; z = u8[]", "p: i8[1,4,4,4]; s = f32[] 0.1; z = i8[]"},
      {"weight_not_quantized", 0, x64, quantized, matrix + "v = DequantizeLinear(w, ws, wz); a = MatMul(d, v)",
       "v = DequantizeLinear(w, ws, wz)", "v = f32[2,3] random"},
      {"weight_not_quantized", 1, onednn, quantized, without_bias, "v = DequantizeLinear(w, ws, wz)",
       "v = f32[2,2,1,1] random"},
      {"weight_not_constant", 0, openvino, quantized,
       edited(without_bias, "w = i8[2,2,1,1] {1, 2, 3, 4}; ", "w = i8[2,2,1,1] 1; u: i8[2,2,1,1]; "), "(w, ws",
       "(u, ws"},
      {"input_zero_point", 0, openvino, quantized,
       edited(edited(without_bias, "a = Conv(", "a = ConvTranspose("), "z = u8[] 128", "z = u8[] 0"), "z = u8[] 0",
       "z = u8[] 1"},
      {"weight_not_quantized", 2, x64, quantized, conv, "v = DequantizeLinear(w, ws, wz)", "v = f32[2,2,1,1] random"},
      {"weight_float_runtime_quant", 0, x64, quantized, without_bias, "v = DequantizeLinear(w, ws, wz)",
       "v = f32[2,2,1,1] random"},
      {"zero_point", 0, onednn, quantized, without_bias, "wz = i8[] 0", "wz = i8[] 3"},
      {"no_zero_point", 0, x64 + "@1.28", quantized, gemm, "(w, ws, wz)", "(w, ws)"},
      {"zero_points_differ", 0, x64, quantized, edited(without_bias, "(w, ws, wz)", "(w, ws2, wz2) {axis=0}"), "{0, 0}",
       "{0, 3}"},
      {"batched_channels", 0, x64, quantized, batched, "(i8[2,3] 1, ws) {axis=1}", "(i8[2,2,3] 1, ws) {axis=2}"},
      {"axis", 0, x64 + "@1.28", quantized, edited(gemm_per_channel, "w = i8[2,3] 1", "w = i8[3,3] 1; m3: f32[4,3]"),
       "{axis=1}", "{axis=0}"},
      {"axis", 1, x64, quantized, edited(without_bias, "(w, ws, wz)", "(w, ws2, wz2) {axis=0}"), "{axis=0}",
       "{axis=1}"},
      {"bias_quantized", 0, onednn, quantized, edited(conv, "c = DequantizeLinear(b, bs)", "c = f32[2] random"),
       "c = f32[2] random", "c = DequantizeLinear(b, bs)"},
      {"bias_not_quantized", 0, x64, quantized, conv, "Conv(d, v, c)", "Conv(d, v, e)"},
      {"bias_float_runtime_quant", 0, x64, quantized, conv, "c = DequantizeLinear(b, bs)", "c = f32[2] random"},
      {"bias_dtype", 0, x64, quantized, conv, "b = i32[2]", "b = i8[2]"},
      {"bias_scale_mismatch", 0, x64 + "@1.27", quantized, conv, "bs = f32[] 0.001", "bs = f32[] 0.01"},
      {"bias_scale_mismatch", 1, x64, quantized, conv, "bs = f32[] 0.001", "bs = f32[] 0.01"},
      {"merged_with_add", 0, x64, quantized, sum, "k = f32[3] random", "k: f32[3]"},
      {"activation_not_redundant", 0, x64, quantized,
       matrix + "v = DequantizeLinear(w, ws, wz); a = Gemm(d, v); h = Relu(a); "
                "y = DequantizeLinear(QuantizeLinear(h, s, z0), s, z0)",
       "y = DequantizeLinear(QuantizeLinear(h, s, z0), s, z0)", "y = Neg(h)"},
      {"graph_output", 0, x64, quantized, conv + "; return y", "return y", "return y, a"},
      {"several_users", 0, x64, quantized, conv + "; return y", "; return y", "; h = Neg(a); return y, h"},
      {"activation_unsupported", 0, x64, quantized, conv, "QuantizeLinear(a,", "QuantizeLinear(Sigmoid(a),"},
      {"output_not_quantized", 0, x64, quantized, conv, "DequantizeLinear(QuantizeLinear(a, s, z), s, z)", "Neg(a)"},
      {"dtypes", 2, x64, quantized, edited(without_bias, in, "d = DequantizeLinear(p, s, z0); "),
       "p: u8[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = u8[]",
       "p: i8[1,2,4,4]; s = f32[] 0.1; z = u8[] 128; z0 = i8[]"},
      {"dtypes", 3, x64, quantized,
       "opset 21; p: u8[4]; s = f32[] 0.1; z = u8[] 0; a = Sigmoid(DequantizeLinear(p, s, z))" + out,
       "p: u8[4]; s = f32[] 0.1; z = u8[]", "p: u16[4]; s = f32[] 0.1; z = u16[]"},
      {"per_axis_output", 0, x64, quantized, conv, "(QuantizeLinear(a, s, z), s, z)",
       "(QuantizeLinear(a, s2, z2), s2, z2)"},
      {"dtype_mismatch", 0, arm64, quantized, conv, "(QuantizeLinear(a, s, z), s, z)",
       "(QuantizeLinear(a, s, wz), s, wz)"},
      {"output_zero_point", 0, "symmetric", quantized, int8_sum, "t = i8[] 0", "t = i8[] 3"},
      {"qparams_differ", 1, onednn, quantized, concat, "QuantizeLinear(a, s, z), s, z",
       "QuantizeLinear(a, ws, z), ws, z"},
      {"qparams_differ", 2, x64, quantized, pool, "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, ws, z), ws, z"},
      {"near_redundant", 0, x64, quantized,
       head + in + weight +
           "l = f32[] 0; u = f32[] 6; o = f32[] 0.0235; a = Conv(d, v); h = Clip(a, l, u); "
           "y = DequantizeLinear(QuantizeLinear(h, o, z0), o, z0)",
       "o = f32[] 0.0235", "o = f32[] 0.02354"},
      {"activations_in_a_row", 0, onednn, quantized, without_bias, "QuantizeLinear(a,",
       "QuantizeLinear(Tanh(Tanh(Tanh(Tanh(a)))),"},
      {"activation_not_redundant", 1, x64, quantized, relu, "QuantizeLinear(h, s, z0), s, z0",
       "QuantizeLinear(h, s, z), s, z"},
      {"partial_tiles", 0, "ort-cpu-amx", quantized, tiles, "i8[4,32]", "i8[4,20]"},
      {"saturates", 0, "ort-cpu-avx2", quantized, without_bias, "{1, 2, 3, 4}", "{1, 2, 3, 100}"},
      {"does_not_saturate", 0, x64, quantized, softmax, "f32[4,4]", "f32[4,1]"},
      {"branch_in_float", 0, std::string(one_branch.name), quantized, residual, "Add(a, g)", "Add(a, skip)"},
      {"pairs_on_both_branches", 0, std::string(one_branch.name), quantized, residual, "Add(a, g)",
       "Add(DequantizeLinear(QuantizeLinear(a, s, z), s, z), g)"},
      {"does_not_saturate", 2, x64, quantized, softmax, "f32[] 0.00392157", "f32[] 0.003"},
      {"scale_ratio", 0, x64, quantized, shared, "QuantizeLinear(a, s, z), s, z",
       "QuantizeLinear(a, f32[] 1e-7, z), f32[] 1e-7, z"},
      {"attribute", 0, openvino, quantized, average, "{kernel_shape=[2,2]}", "{kernel_shape=[2,2], ceil_mode=1}"},
      {"rounds_down", 0, x64, quantized, resize, "nearest", "linear"},
      {"attribute_ignored", 0, x64, quantized, resize, "nearest", "cubic"},
      {"attribute", 2, x64, quantized, edited(average, "opset 13", "opset 19"), "{kernel_shape=[2,2]}",
       "{kernel_shape=[2,2], dilations=[1,1]}"},
      {"unknown_shape", 0, qnn, quantized, conv, "x: f32[1,", "x: f32[n,"},
      {"rank", 0, qnn, quantized, any_dtype + "k: f32[1,2,3,4,5]; a = Abs(k)", "k: f32[", "k: f32[2,"},
      {"refused_operator", 0, qnn, quantized, "opset 21; x: f32[1,4,2]; k = f32[4] 1; a = Mish(x)", "Mish(x)",
       "GroupNormalization(x, k, k) {num_groups=2}"},
      {"not_in_backend", 0, qnn, quantized, "opset 21; x: f32[1,4,2]; a = Mish(x)", "Mish", "Celu"},
      {"bare_integers", 1, qnn, quantized, pool, "MaxPool(d)", "MaxPool(p)"},
      {"bare_integers", 2, qnn, quantized, head + in + "a = Transpose(d); y = Neg(a)", "Transpose(d)", "Transpose(p)"},
      {"lone_quantizer", 0, qnn, quantized, head + "a = QuantizeLinear(Neg(x), s, z)", "Neg(x)", "x"},
      {"computed_qparams", 0, qnn, quantized, head + "a = QuantizeLinear(x, s, z); y = DequantizeLinear(a, s, z)",
       "(x, s, z)", "(x, r, z)"},
      {"channel_scales", 0, qnn, quantized, head + "a = QuantizeLinear(x, s, z); y = DequantizeLinear(a, s, z)",
       "(x, s, z)", "(x, s2, z2)"},
      {"pair_differs", 0, qnn, quantized, head + "a = DequantizeLinear(QuantizeLinear(x, s, z), s, z)", "s, z), s, z)",
       "s, z), s, z0)"},
      {"lone_dequantizer", 0, qnn, quantized,
       head + in + weight + "a = DequantizeLinear(b, bs); h = Conv(d, v, a); y = QuantizeLinear(h, s, z)",
       "y = QuantizeLinear(h, s, z)", "y = Neg(h)"},
      {"factors", 0, qnn, quantized, biased, "beta=1.0", "beta=2.0"},
      {"further_operands", 0, qnn, quantized, edited(shared, "Add(d, g)", "Max(d, g)"), "Max(d, g)", "Max(d, g, g)"},
      {"per_axis_input", 0, qnn, quantized, edited(shared, "(p, s, z)", "(u8[2] 9, s, z)"), "(u8[2] 9, s, z)",
       "(u8[2] 9, s2, z2) {axis=0}"},
      {"weight_moved", 0, qnn, quantized, edited(gemm, "w = i8[2,3]", "w = i8[3,2]"),
       "v = DequantizeLinear(w, ws, wz)", "v = Reshape(DequantizeLinear(w, ws, wz), i64[2] {2, 3})"},
      {"blocks", 1, qnn, quantized,
       wide + "v = DequantizeLinear(i8[2,3] 1, s); a = MatMul(d, v)" + wide_out, "(i8[2,3] 1, s)",
       "(i8[2,3] 1, f32[1,3] 0.1) {axis=0, block_size=2}"},
      {"parameters", 0, qnn, quantized, batch_normalization, "k, g, g)", "k, g, o)"},
      {"int32_bias", 0, qnn, quantized, batch_normalization, "g, k, g", "g, i, g"},
      {"needs_quantizer", 0, qnn, quantized, gemm, "y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)", "y = Neg(a)"},
      {"dtypes", 4, qnn, quantized, without_bias, "wz = i8[] 0; w = i8[", "wz = i16[] 0; w = i16["},
      {"dtypes", 6, qnn, quantized, any_dtype + "a = Neg(d)" + out, "p: u8[1,4]; s = f32[] 0.1; z = u8[]",
       "p: i8[1,4]; s = f32[] 0.1; z = i8[]"},
      {"dtypes", 7, qnn, quantized, any_dtype + "a = Log(d)" + out, "p: u8[1,4]; s = f32[] 0.1; z = u8[]",
       "p: u16[1,4]; s = f32[] 0.1; z = u16[]"},
      {"channel_zero_point", 0, qnn, quantized, edited(without_bias, "(w, ws, wz)", "(w, ws2, wz2) {axis=0}"),
       "{0, 0}", "{3, 3}"},
      {"channel_zero_point", 1, qnn, quantized, edited(gemm_per_channel, "wz3 = i8[3] 0", "wz3 = i8[3] 0; l = i8[3] 4"),
       "(w, ws3, wz3)", "(w, ws3, l)"},
      {"one_weight_scale", 0, qnn, quantized, edited(layer_normalization, "opset 13", "opset 17"), "(u8[4] 9, s)",
       "(u8[4] 9, l) {axis=0}"},
      {"axis", 2, qnn, quantized, edited(without_bias, "(w, ws, wz)", "(w, ws2, wz2) {axis=0}"), "{axis=0}",
       "{axis=1}"},
      {"computed_16_bit_weight", 0, qnn, quantized, wide + "a = Gemm(d, k)" + wide_out, "Gemm(d, k)", "Gemm(d, f)"},
      {"asymmetric_16_bit_weight", 0, qnn, quantized, signed_factor, "t = i16[] 0", "t = i16[] 3"},
      {"narrowed_factor", 0, qnn, quantized, wide + "a = MatMul(d, k)" + wide_out, "MatMul(d, k)", "MatMul(d, f)"},
      {"bias_beside_4_bits", 0, qnn, quantized,
       edited(edited(without_bias, "opset 13", "opset 21"), "wz = i8[] 0; w = i8[", "wz = i4[] 0; w = i4["),
       "Conv(d, v)", "Conv(d, v, f32[2] random)"},
      {"signed_depthwise", 0, qnn, quantized,
       edited(edited(edited(edited(without_bias, "opset 13", "opset 21"), "z = u8[] 128", "z = i16[] 0"),
                     "p: u8[1,2,4,4]", "p: i16[1,2,4,4]"),
              "Conv(d, v)", "Conv(d, v) {group=1}"),
       "Conv(d, v) {group=1}", "Conv(d, DequantizeLinear(i8[2,1,1,1] 1, ws)) {group=2}"},
      {"channel_slope", 0, qnn, quantized, slopes, "u16[1,1,4]", "u16[2,1,1]"},
      {"lowest_zero_point", 0, qnn, quantized,
       "opset 13; m: i8[4,4]; s = f32[] 0.1; o = f32[] 0.00392157; t = i8[] -128; a = Softmax(DequantizeLinear(m, s)); "
       "y = DequantizeLinear(QuantizeLinear(a, o, t), o, t)",
       "t = i8[] -128", "t = i8[] 0"},
      {"last_axis", 0, qnn, quantized, head + in + "a = CumSum(d, i32[] 3)" + out, "i32[] 3", "i32[] 1"},
      {"qparams_differ", 0, qnn, quantized, head + in + "a = SpaceToDepth(d) {blocksize=2}" + out,
       "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, ws, z), ws, z"},
      {"attribute", 1, qnn, quantized, edited(without_bias, "a = Conv(d, v)", "a = ConvTranspose(d, v) {group=1}"),
       "{group=1}", "{group=1, dilations=[2,2]}"},
      {"bare_integers", 0, tensorrt, quantized, int8_pair + "a = Transpose(x); y = Neg(a)",
       "a = Transpose(x); y = Neg(a)", "a = Transpose(QuantizeLinear(x, s, z)); y = DequantizeLinear(a, s, z)"},
      {"blocks", 0, tensorrt, quantized,
       "opset 21; m: f32[32,128]; a = DequantizeLinear(i4[128,32] 1, f32[2,32] 0.1) {axis=0, block_size=64}; "
       "y = MatMul(m, a)",
       "f32[2,32] 0.1) {axis=0, block_size=64", "f32[4,32] 0.1) {axis=0, block_size=32"},
      {"scales_differ", 0, tensorrt, quantized,
       int8_pair + "t = f32[] 0.1; a = QuantizeLinear(x, s, z); c = QuantizeLinear(x, t, z); "
                   "y = DequantizeLinear(a, s, z); h = DequantizeLinear(c, t, z); return y, h",
       "t = f32[] 0.1", "t = f32[] 0.2"},
      {"cast_beside_pair", 0, tensorrt, quantized, int8_pair + "a = Cast(Neg(x)) {to=f16}; y = Neg(a); return y, d",
       "Cast(Neg(x))", "Cast(d)"},
      {"pair_in_float", 0, tensorrt, quantized, int8_pair + "a = Softmax(x); return a, d", "Softmax(x)", "Softmax(d)"},
      {"nearer_branch", 0, tensorrt, quantized,
       int8_pair + "a = Conv(d, v); f = Conv(d, v); g = DequantizeLinear(QuantizeLinear(f, s, z), s, z); "
                   "h = Add(a, g); y = DequantizeLinear(QuantizeLinear(h, s, z), s, z)",
       "f = Conv(d, v)", "f = Conv(DequantizeLinear(QuantizeLinear(Conv(d, v), s, z), s, z), v)"},
      {"probability_scale", 0, "tensorrt in f8e4m3fn", quantized,
       "opset 19; q: f32[1,2,64,32]; n: f8e4m3fn[1,2,64,32]; k: f8e4m3fn[1,2,32,64]; s = f32[] 0.1; "
       "t = f32[] 0.0022321429; z = f8e4m3fn[] 0; e = DequantizeLinear(QuantizeLinear(q, s, z), s, z); "
       "p = Softmax(MatMul(e, DequantizeLinear(k, s, z))); f = DequantizeLinear(QuantizeLinear(p, t, z), t, z); "
       "a = MatMul(f, DequantizeLinear(n, s, z)); y = DequantizeLinear(QuantizeLinear(a, s, z), s, z)",
       "t = f32[] 0.0022321429", "t = f32[] 0.1"},
      {"factors_apart", 0, tensorrt, quantized,
       "opset 21; m: f32[32,32]; s = f32[] 0.1; z = i8[] 0; d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); "
       "a = Gemm(d, DequantizeLinear(i8[32,32] 1, s)) {alpha=1.0}",
       "alpha=1.0", "alpha=0.5"},
      {"pad_apart", 0, tensorrt, quantized,
       int8_pair + "p = Neg(x); e = DequantizeLinear(QuantizeLinear(p, s, z), s, z); a = Conv(e, v); return a, d",
       "Neg(x)", "Pad(x, i64[8] {0, 0, 1, 1, 0, 0, 1, 1})"},
      {"gate_apart", 0, tensorrt, quantized,
       int8_pair + "a = Conv(d, DequantizeLinear(i8[2,1,1,1] 1, s)) {group=2}; h = Relu(a); "
                   "y = DequantizeLinear(QuantizeLinear(h, s, z), s, z)",
       "Relu(a)", "Mul(a, Sigmoid(a))"},
      {"float_operator", 0, qnn + "-v68", quantized, "opset 21; x: f32[1,4]; a = Mish(x)", "Mish", "Selu"},
      {"bias_dtype", 1, qnn, quantized,
       edited(batch_normalization, "k = f32[2] random", "k = DequantizeLinear(u8[2] 9, s, z0)"),
       "k = DequantizeLinear(u8[2] 9, s, z0)", "k = DequantizeLinear(i8[2] 9, s)"},
      {"constant_16_bit_weight", 0, qnn + "-v69", quantized, wide + "a = MatMul(d, f)" + wide_out, "MatMul(d, f)",
       "MatMul(d, k)"},
      {"coarse_16_bits", 0, qnn + "-v69", quantized,
       "opset 21; m: f32[4,2]; s = f32[] 0.1; z = u8[] 0; d = DequantizeLinear(QuantizeLinear(m, s, z), s, z); "
       "a = MatMul(d, DequantizeLinear(i8[2,3] 1, s))" + wide_out,
       "z = u8[]", "z = u16[]"},
      {"dropped_bias", 0, x64, quantized,
       "x: f32[2,4,16]; a = com.microsoft::DynamicQuantizeMatMul(x, i8[16,8] 1, f32[8] 1, i8[] 0, f32[8] 1)",
       "i8[16,8] 1", "i8[1,16,8] 1"},
      {"unstated_zero_point", 0, x64, quantized,
       "opset 17; x: i8[1,8,4]; a = DequantizeLinear(x, f32[] 0.1, i8[] 0); t = Transpose(a) {perm=[0,2,1]}; y = "
       "Neg(t)",
       ", i8[] 0)", ")"},
      {"carried_int8", 0, x64 + "@1.27", quantized,
       edited(edited(moved, "opset 17", "opset 21"), "c: bool[]; ", "c = u8[] 0; ") + "y = Neg(t)",
       "(QuantizeLinear(x, f32[] 0.1, u8[] 0), f32[] 0.1, u8[] 0)",
       "(QuantizeLinear(x, f32[] 0.1, i8[] 0), f32[] 0.1, i8[] 0)"},
      {"carried_into_body", 0, arm64, quantized,
       moved + "y = If(c) {then_branch={ n = Neg(x) }, else_branch={ m = Abs(x) }}; h = Exp(t)", "Neg(x)", "Neg(t)"},
      {"half_with_cache", 0, x64 + "@1.27", quantized,
       "q: f32[1,2,8]; p: i8[1,1,3,8]; n: i32[1]; m: i32[]; a, c, d = "
       "com.microsoft::GroupQueryAttention(q, q, q, p, p, n, m, _, _, _, _, _, f32[1] 1, f32[1] 1) {num_heads=1, "
       "kv_num_heads=1, k_quant_type=\"PER_TENSOR\", v_quant_type=\"PER_TENSOR\", kv_cache_bit_width=8}",
       "q: f32", "q: f16"},
      {"dropped_cache_bias", 0, x64 + "@1.27", quantized,
       "q: f32[1,2,8]; k: f32[1,2,8]; p: i8[1,1,3,8]; n: i32[1]; m: i32[]; b: f32[1,1,2,5]; a, c, d = "
       "com.microsoft::GroupQueryAttention(q, k, k, p, p, n, m, _, _, _, _, _, f32[1] 1, f32[1] 1) {num_heads=1, "
       "kv_num_heads=1, k_quant_type=\"PER_TENSOR\", v_quant_type=\"PER_TENSOR\", kv_cache_bit_width=8}",
       "n, m, _, _, _, _, _", "n, m, _, _, _, b, _"},
  };
  return cases;
}

}  // namespace

TEST_CASE("each condition has a model that fails it, and one that just passes it", "[quantize]") {
  std::set<std::string> covered;
  for (const RowCase& test : row_cases()) {
    const std::string name = test.code + "#" + std::to_string(test.nth);
    INFO(name);
    CHECK(failed_rows(test.text, test).count(name) == 0);
    CHECK(failed_rows(edited(test.text, test.from, test.to), test).count(name) == 1);
    covered.insert(name);
  }
  covered.insert("does_not_saturate#1");  // of ranges, as below
  covered.insert("dtypes#5");             // of targets with other activations, as below
  // No text makes a node without results or without an input that it needs.
  covered.insert({"no_result#0", "missing_input#0"});
  Net net;
  Model model = net.build({&net.conv(*net.x)});
  Node& node = node_making(model, "y");
  CHECK(quantizable(node, targets::ort_cpu_x64));
  REQUIRE(model.graph().set_input(node, 1, nullptr));
  CHECK(quantizable(node, targets::ort_cpu_x64).reason().code == "missing_input");
  const Node& none = model.graph().insert("Conv", {net.x}, 0);
  CHECK(quantizable(none, targets::ort_cpu_x64).reason().code == "no_result");

  std::map<std::string_view, std::size_t> seen;
  for (const KernelCondition& row : kernel_conditions()) {
    INFO(row.code);
    CHECK(covered.count(std::string(row.code) + "#" + std::to_string(seen[row.code]++)) == 1);
  }
}

namespace {

class RangesOfTest : public PlannedTensors {
 public:
  explicit RangesOfTest(std::map<std::string, Range, std::less<>> ranges) : ranges_(std::move(ranges)) {}
  const Range* range(const Value& value) const override {
    const auto place = ranges_.find(value.name());
    return place != ranges_.end() ? &place->second : nullptr;
  }
  double scale(const Value& value) const override {
    const Range* const known = range(value);
    return known != nullptr ? (known->max - known->min) / 255 : 0;
  }

 private:
  std::map<std::string, Range, std::less<>> ranges_;
};

Reason planned_reason(const std::string& text, std::map<std::string, Range, std::less<>> ranges) {
  const Model model = graph(text);
  const RangesOfTest tensors(std::move(ranges));
  detail::Surroundings around(targets::ort_cpu_x64);
  const KernelView view(node_making(model, "a"), targets::ort_cpu_x64, planned, around, &tensors);
  return first_failed(view, planned).verdict.reason();
}

}  // namespace

TEST_CASE("a planned node is asked by its ranges what a quantized one is asked by its scales", "[quantize]") {
  const auto softmax_to = [](float min, float max) {
    return planned_reason("opset 13; m: f32[4,4]; a = Softmax(m)", {{"m", {-4, 4}}, {"a", {min, max}}});
  };
  CHECK(softmax_to(0, 0.2f).code.empty());
  CHECK(softmax_to(0, 0.1f).code == "does_not_saturate");
  CHECK(to_string(softmax_to(0, 0.1f)).find("far below") != std::string::npos);
  CHECK(softmax_to(1, 1).code == "does_not_saturate");
  CHECK(softmax_to(1, 1).text == planned_reason("opset 13; m: f32[4,1]; a = Softmax(m)", {}).text);

  const auto sum_to = [](float most) {
    const float x = 255 * 0.1f;
    return planned_reason("opset 13; x: f32[4]; a = Add(x, x)", {{"x", {0, x}}, {"a", {-most, 0}}});
  };
  CHECK(sum_to(1).code.empty());  // negative results alone are not a reason
  CHECK(sum_to(255 * 1e-7f).code == "scale_ratio");
  CHECK(planned_reason("opset 13; x: f32[4]; a = Add(x, x)", {{"x", {0, 1}}}).code.empty());

  const Model model =
      graph(edited(shared, "QuantizeLinear(a, s, z), s, z", "QuantizeLinear(a, f32[] 1e-7, z), f32[] 1e-7, z"));
  detail::Surroundings around(targets::ort_cpu_x64);
  const OperatorOutcome audited =
      outcome_of(KernelView(node_making(model, "a"), targets::ort_cpu_x64, quantized, around));
  CHECK(audited.code == "scale_ratio");
  CHECK(audited.text == to_string(sum_to(255 * 1e-7f)));
  CHECK(audited.text.find("0.1 and 1e-07") != std::string::npos);
}

TEST_CASE("a planned kernel takes the dtype of the target", "[quantize]") {
  const Model model = graph("opset 21; x: f32[1,4]; a = Softplus(x)");
  const Node& node = node_making(model, "a");
  CHECK(quantizable(node, targets::qnn_htp));
  CHECK(quantizable(node, with_activations(targets::qnn_htp, DType::u16)).reason().code == "dtypes");
}

TEST_CASE("what a row says is of use", "[quantize]") {
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyz_0123456789";
  for (const KernelCondition& row : kernel_conditions()) {
    INFO(row.code);
    CHECK(row.code.find_first_not_of(letters) == std::string_view::npos);
    CHECK(row.stages != QuirkSet<ConditionStage>());
    CHECK(row.kernels != QuirkSet<KernelForm>());
    if (row.effect == ConditionEffect::error || row.effect == ConditionEffect::warning) CHECK_FALSE(row.remedy.empty());
  }
}
