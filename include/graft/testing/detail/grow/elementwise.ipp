#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>
#include <cmath>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that compute each element separately.

namespace graft::inline v1::detail {

inline void make_unary(NodeMaker& node) {
  node.value(0);
  for (const char* const slope : {"alpha", "beta", "gamma"}) node.may(slope, node.dice().any_of({0.25, 0.5, 1.0 / 6}));
  node.may("approximate", node.dice().any_of({"none", "tanh"}));
}

inline void make_jump(NodeMaker& node) { node.value(0, {.exact = true}); }

/// Defined for positive numbers only, or steep at 0.
inline void make_of_positive(NodeMaker& node) {
  if (!node.is_given(0) && node.is_free && node.dice().one_in(2)) {
    NodeMaker before(node.grower(), node.dice().any_of({"Softplus", "Sigmoid", "Exp"}));
    make_unary(before);
    node.operands = {{NodeOperand::Kind::given, before.finish().output(0)}};
  }
  node.value(0);
}

inline void make_binary(NodeMaker& node) {
  const bool inverts = node.is("Div") || node.is("Pow") || node.is("Mod");
  const bool jumps = node.facts().outputs()[0].type != node.facts().inputs()[0].type || node.is("Mod");
  const Interval range = inverts ? Interval{0.5, 3} : Interval{-2, 2};
  const bool from_the_left = !node.is_given(1);
  const Value& first = node.value(from_the_left ? 0 : 1, {.exact = jumps});
  if (node.is("Mod") && is_float(first.dtype())) node.set("fmod", 1);
  node.partner(from_the_left ? 1 : 0, first, range, jumps);
}

/// Shifts by less than the number of bits.
inline void make_shift(NodeMaker& node) {
  const Value& x = node.value(0);
  if (!node.is_given(1)) {
    Dims dims = NodeMaker::extents(x);
    if (node.dice().one_in(2)) dims = {1};
    const double bits = node.dice().any_of({0.0, 0.0, 1.0, 3.0});
    const std::vector<double> by(static_cast<std::size_t>(element_count(dims)), bits);
    node.constant(1, Tensor::of(x.dtype(), dims, by));
  }
  node.set("direction", node.dice().any_of({"LEFT", "RIGHT"}));
}

inline void make_variadic(NodeMaker& node) {
  std::size_t count = std::max<std::size_t>(node.operands.size(), 1);
  std::size_t base = 0;
  if (node.is_free || !node.closed_inputs) count = std::max<std::size_t>(count, 1 + node.dice().below(3));
  for (std::size_t i = 0; i < node.operands.size(); ++i)
    if (node.is_given(i)) base = i;
  const Value& first = node.value(base);
  const std::optional<Dims> same = first.shape().dims();
  for (std::size_t i = 0; i < count; ++i) {
    if (i == base) continue;
    if (node.version() >= 8) node.partner(i, first);
    else if (same) node.weight(i, *same, {-1, 1}, first.dtype());  // it does not broadcast
    else throw Unfit();
  }
}

inline void make_prelu(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 1));
  Dims slopes{1};
  if (dims.size() > 1) slopes = Dims(dims.size() - 1, 1), slopes[0] = dims[1];
  node.weight(1, node.dice().one_in(3) ? Dims{1} : slopes);
}

inline void make_clip(NodeMaker& node) {
  const DType dtype = node.value(0).dtype();
  const bool is_signed_one = is_signed(dtype);
  if (node.may_have("min") || node.wanted(1, 2)) {
    if (!node.may_have("min") || node.dice().one_in(2))
      node.number("min", is_signed_one ? node.dice().any_of({0.0, 0.0, -1.0, -0.5}) : 1, dtype);
  }
  if (node.may_have("max") || node.wanted(2, 2)) {
    if (!node.may_have("max") || node.dice().one_in(2)) node.number("max", node.dice().any_of({6.0, 1.0, 3.0}), dtype);
  }
}

inline void make_cast(NodeMaker& node) {
  const Value& x = node.value(0);
  const DType to = node.dice().any_of({DType::f32, DType::f32, DType::f16, DType::f64, DType::bf16, DType::i32,
                                       DType::i64, DType::boolean, x.dtype()});
  // A Cast from floats to integers is not continuous.
  const bool jumps = is_float(x.dtype()) && !is_float(to);
  node.set("to", jumps && !node.grower().is_exact(x) ? DType::f32 : to);
}

inline void make_cast_like(NodeMaker& node) {
  const Value& x = node.value(0);
  node.value(1, Want{}.of(is_float(x.dtype()) ? float_bits : 0xffffffff));
}

inline void make_where(NodeMaker& node) {
  const std::size_t base = node.is_given(2) && !node.is_given(1) ? 2 : 1;
  const Value& x = node.value(base);
  const std::size_t other = base == 1 ? 2 : 1;
  node.partner(other, x);
  if (!node.is_given(0)) {
    const std::optional<Dims> same = x.shape().dims();
    node.value(0, same && node.dice().one_in(2) ? Want{.dims = same} : Want{.exact = true});
  }
}

inline void make_dropout(NodeMaker& node) {
  node.value(0);
  if (node.dice().one_in(3)) node.number("ratio", 0.25, DType::f32);
  const bool has_mask = node.dice().one_in(4);
  if (has_mask && node.version() >= 12) node.outputs = 2;  // earlier opsets do not define the mask in inference
}

inline void make_bias_gelu(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  if (node.is("com.microsoft::BiasGelu") || node.wanted(1))
    node.weight(1, {NodeMaker::extent_from_end(x, 1)}, {-1, 1}, x.dtype());
}

GRAFT_INLINE std::span<const Recipe> elementwise_recipes() {
  static constexpr Recipe all[] = {
      {"Abs|Neg|Relu|Sigmoid|Tanh|Softplus|Softsign|Elu|Selu|Celu|LeakyRelu|HardSigmoid|HardSwish|Erf|Exp|Sin|Cos|"
       "Sinh|Cosh|Atan|Asinh|Mish|Gelu|Identity|Not|BitwiseNot|com.microsoft::Gelu|com.microsoft::QuickGelu",
       make_unary},
      {"Ceil|Floor|Round|Sign|IsNaN|IsInf|ThresholdedRelu|Shrink|Hardmax", make_jump},
      {"Log|Sqrt|Reciprocal", make_of_positive},
      {"Add|Sub|Mul|Div|Pow|Mod|And|Or|Xor|Equal|Less|Greater|LessOrEqual|GreaterOrEqual|BitwiseAnd|"
       "BitwiseOr|BitwiseXor",
       make_binary},
      {"BitShift", make_shift},
      {"Max|Min|Sum|Mean", make_variadic},
      {"PRelu", make_prelu},
      {"Clip", make_clip},
      {"Cast", make_cast},
      {"CastLike", make_cast_like},
      {"Where", make_where},
      {"Dropout", make_dropout},
      {"com.microsoft::BiasGelu|com.microsoft::FastGelu", make_bias_gelu},
  };
  return all;
}

}  // namespace graft::inline v1::detail
