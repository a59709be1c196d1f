#pragma once
// Quantizers that TensorRT for RTX does not take, as arithmetic. The conditions are those of NVIDIA's provider
// (NVIDIA/TensorRT-RTX-EP-ABI, src/qdq_lowering.cc). Everything else stays, so that TensorRT can fuse it.
//
// Before:  DequantizeLinear(q, s, z)
// After:   Mul(Cast(Sub(Cast(q), z)), s)        the difference in int32; in int64 if q has 32 bits
//          Mul(Cast(q), s)                      if z is absent or 0
//          a constant                           if q is constant
// if z is not 0, or q has 32 bits. A constant q also goes if its only reader is a product beside another quantizer that
// goes: TensorRT fuses all quantizers of a product or none.
//
// Before:  QuantizeLinear(x, s, z)
// After:   Cast(Clip(Add(Round(Div(Cast(x), s)), z), lowest, highest))
// if z is not 0 and the result has 8 or 16 bits. A float cannot hold every integer of 32 bits.
//
// s and z are constant, s is positive and finite. They broadcast as a whole, along an axis, or in blocks along it. The
// arithmetic has the dtype of s; for results of 16 bits at least f32, because f16 and bf16 do not hold their integers.
//
// Differences to NVIDIA's code: Round comes before Add, as ONNX defines it, for ties at an odd z. Integers of all
// widths are subtracted as integers, because f16 does not hold 65535. Constants are folded at every dtype of s. A zero
// point that is not constant is not taken for 0.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/graph.hpp>
#include <graft/pattern.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/rewrite.hpp>
#include <graft/simplify/no_op.hpp>

namespace qdq_lowering {
using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto w = cst<"w">;
inline constexpr auto s = cst<"s">;
inline constexpr auto z = cst<"z">;
inline constexpr auto quantizer = node<"quantizer">;
inline constexpr auto to = attr<"to", DType>;

// Attributes that the functions below read from the node, or that repeat the dtype of z. Any others must have their
// defaults.
inline constexpr auto axis = opt(attr<"axis", std::int64_t>);
inline constexpr auto block_size = opt(attr<"block_size", std::int64_t>);
inline constexpr auto output_dtype = opt(attr<"output_dtype", DType>);

// Policy

inline std::optional<Tensor> constant(const Node& node, std::size_t input) {
  return node.input(input) != nullptr ? node.input(input)->constant() : std::nullopt;
}

inline bool is_symmetric(const Node& node) {
  const std::optional<Tensor> zero_point = constant(node, 2);
  return !zero_point || std::ranges::all_of(zero_point->to<double>(), [](double zero) { return zero == 0; });
}

/// Whether TensorRT does not take a quantizer.
inline Verdict is_refused(const Node& node) {
  const std::optional<Tensor> scale = constant(node, 1);
  if (!scale || bits(scale->dtype()) < 16) return Verdict::no("its scale is not a constant of at least 16 bits");
  if (!std::ranges::all_of(scale->to<double>(), [](double step) { return step > 0 && std::isfinite(step); }))
    return Verdict::no("its scale is not positive and finite");
  const DType dtype = is_quantize(node) ? quantized_dtype(node) : node.input(0)->dtype();
  if (!is_integer(dtype) || bits(dtype) < 8 || bits(dtype) > 32)
    return Verdict::no("it is not known to quantize to 8, 16 or 32 bits");
  if (bits(dtype) == 32)
    return is_quantize(node) ? Verdict::no("a float cannot hold every integer of 32 bits") : Verdict::yes();
  return is_symmetric(node) ? Verdict::no("TensorRT takes it: it is symmetric") : Verdict::yes();
}

inline bool is_refused_quantizer(const Node* node) {
  return node != nullptr && (is_quantize(*node) || is_dequantize(*node)) && is_refused(*node);
}

/// Whether the only reader of a dequantized weight is a product beside another quantizer that is_refused().
inline Verdict is_beside_refused(const Node& node) {
  const Value& weight = *node.output(0);
  if (!weight.has_one_use() || weight.is_graph_output()) return Verdict::no("it has several readers");
  const Node& product = weight.users().front();
  if (!product.is("Conv") && !product.is("ConvTranspose") && !product.is("Gemm") && !product.is("MatMul"))
    return Verdict::no("its reader is not a product");
  for (const Value* const operand : product.inputs())
    if (operand != nullptr && operand != &weight && is_refused_quantizer(operand->producer())) return Verdict::yes();
  for (const Node& reader : product.output(0)->users())
    if (is_quantize(reader) && is_refused(reader)) return Verdict::yes();
  return Verdict::no("TensorRT takes all quantizers of its reader");
}

// Arithmetic

/// A scale or zero point as an operand that broadcasts over the quantizer's input. nullopt if the input's shape is not
/// known, or does not fit.
inline std::optional<Tensor> broadcasting(const Node& node, const Tensor& parameter, DType dtype) {
  const Tensor values = Tensor::of(dtype, parameter.dims(), parameter.to<double>());
  if (values.size() == 1) return values.reshaped({});
  const Shape shape = node.input(0)->shape();
  if (!shape.known()) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape.rank());
  const std::int64_t given = rank == 1 ? 0 : node.attr<std::int64_t>("axis").value_or(1);
  if (given < -rank || given >= rank) return std::nullopt;
  const auto at = static_cast<std::size_t>(given < 0 ? given + rank : given);
  Dims dims(shape.rank(), 1);
  const std::int64_t block = node.attr<std::int64_t>("block_size").value_or(0);
  if (block == 0) {
    if (parameter.rank() != 1) return std::nullopt;
    dims[at] = parameter.size();
    return values.reshaped(dims);
  }
  dims = parameter.dims();
  if (parameter.rank() != shape.rank() || !shape[at].known() || dims[at] != (shape[at].value() + block - 1) / block)
    return std::nullopt;
  dims[at] = shape[at].value();
  std::int64_t inner = 1;
  for (std::size_t i = at + 1; i < dims.size(); ++i) inner *= dims[i];
  const std::vector<double> steps = values.to<double>();
  std::vector<double> repeated(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < repeated.size(); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    const std::int64_t outer = index / inner / dims[at], along = index / inner % dims[at] / block;
    repeated[i] = steps[static_cast<std::size_t>((outer * parameter.dims()[at] + along) * inner + index % inner)];
  }
  return Tensor::of(dtype, dims, repeated);
}

inline DType dtype_of_constant(const Tensor& tensor) { return tensor.dtype(); }
inline DType difference_dtype(const Value& quantized) {
  return bits(quantized.dtype()) == 32 ? DType::i64 : DType::i32;
}
inline DType quotient_dtype(const Tensor& scale, const Tensor& zero_point) {
  return bits(scale.dtype()) == 16 && bits(zero_point.dtype()) == 16 ? DType::f32 : scale.dtype();
}

inline std::optional<Tensor> step(const Node& node, const Tensor& scale) {
  return broadcasting(node, scale, scale.dtype());
}
inline bool fits(const Node& node, const Tensor& scale) { return step(node, scale).has_value(); }
inline std::optional<Tensor> integer_zero(const Node& node, const Value& quantized, const Tensor& zero_point) {
  return broadcasting(node, zero_point, difference_dtype(quantized));
}
inline std::optional<Tensor> divisor(const Node& node, const Tensor& scale, const Tensor& zero_point) {
  return broadcasting(node, scale, quotient_dtype(scale, zero_point));
}
inline std::optional<Tensor> float_zero(const Node& node, const Tensor& scale, const Tensor& zero_point) {
  return broadcasting(node, zero_point, quotient_dtype(scale, zero_point));
}
inline Tensor lowest_code(const Tensor& scale, const Tensor& zero_point) {
  return Tensor::scalar(quotient_dtype(scale, zero_point), lowest(zero_point.dtype()));
}
inline Tensor highest_code(const Tensor& scale, const Tensor& zero_point) {
  return Tensor::scalar(quotient_dtype(scale, zero_point), highest(zero_point.dtype()));
}

// Rules

constexpr auto dequantize(const auto& quantized, const auto& zero_point) {
  return op<"DequantizeLinear">(quantized, s, zero_point).with(axis, block_size, output_dtype).as(quantizer);
}
constexpr auto cast(const auto& value, const auto& dtype) { return op<"Cast">(value).with(to = dtype); }

inline constexpr auto refused = predicate<is_refused>()(quantizer);
inline constexpr auto fitting = predicate<fits>("its scales do not fit a known shape of its input")(quantizer, s);
inline constexpr auto beside_refused = predicate<is_beside_refused>()(quantizer);
inline constexpr auto symmetric = predicate<is_symmetric>("it is asymmetric")(quantizer);

/// A constant beside a quantizer that goes.
inline constexpr auto fold_beside_refused =
    rule<"fold-beside-refused">(dequantize(w, opt(z)), where(beside_refused), folded(quantizer(w, s, opt(z))));

inline constexpr auto fold_dequantize =
    rule<"fold-dequantize">(dequantize(w, opt(z)), where(refused), folded(quantizer(w, s, opt(z))));

inline constexpr auto lower_symmetric_dequantize =
    rule<"lower-symmetric-dequantize">(dequantize(x, opt(z)), where(refused, symmetric, fitting),
                                       op<"Mul">(cast(x, call<dtype_of_constant>(s)), tensor<step>(quantizer, s)));

inline constexpr auto lower_dequantize = rule<"lower-dequantize">(
    dequantize(x, z), where(refused, fitting),
    op<"Mul">(cast(op<"Sub">(cast(x, call<difference_dtype>(x)), tensor<integer_zero>(quantizer, x, z)),
                   call<dtype_of_constant>(s)),
              tensor<step>(quantizer, s)));

inline constexpr auto lower_quantize = rule<"lower-quantize">(
    op<"QuantizeLinear">(x, s, z).with(axis, block_size, output_dtype).as(quantizer), where(refused, fitting),
    cast(op<"Clip">(
             op<"Add">(op<"Round">(op<"Div">(cast(x, call<quotient_dtype>(s, z)), tensor<divisor>(quantizer, s, z))),
                       tensor<float_zero>(quantizer, s, z)),
             tensor<lowest_code>(s, z), tensor<highest_code>(s, z)),
         call<dtype_of_constant>(z)));

/// All of it, bodies and functions included. Constants need Context::executor. With Context::provenance every node of
/// the arithmetic names its quantizer. To keep the weights of nodes with int32 biases, make these biases float before.
inline Pass lower_qdq() {
  return on_typed_graph("lower_qdq",
                        sweep(fold_beside_refused) |
                            sweep(fold_dequantize, lower_symmetric_dequantize, lower_dequantize, lower_quantize) |
                            fixpoint(remove_cast));
}

}  // namespace qdq_lowering
