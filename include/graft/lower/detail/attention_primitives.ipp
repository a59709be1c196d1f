#pragma once
#include <graft/lower/detail/attention_primitives.hpp>

#include <cmath>
#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Value& AttentionPrimitives::integer(std::int64_t value) {
  return rewriter_.constant(Tensor::scalar(value), "integer");
}

GRAFT_INLINE Value& AttentionPrimitives::number(double value) {
  return rewriter_.constant(Tensor::scalar(dtype_, value), "number");
}

GRAFT_INLINE Value& AttentionPrimitives::extent(Value& x, std::size_t axis) {
  const Shape shape = x.shape();
  if (axis < shape.rank() && shape[axis].known()) return integer(shape[axis].value());
  return op("Gather", {&op("Shape", {&x}), &integer(static_cast<std::int64_t>(axis))}, {{"axis", 0}});
}

GRAFT_INLINE Value& AttentionPrimitives::range(Value& count) { return op("Range", {&integer(0), &count, &integer(1)}); }

GRAFT_INLINE Value& AttentionPrimitives::columns(Value& x, std::int64_t first, std::int64_t count) {
  return op("Slice", {&x, &ints({first}), &ints({first + count}), &ints({-1})});
}

GRAFT_INLINE Value& AttentionPrimitives::split_heads(Value& flat, std::int64_t heads) {
  const Shape shape = flat.shape();
  const Dim width = shape.rank() == 3 ? shape[2] : Dim();
  const std::int64_t size = width.known() && heads > 0 ? width.value() / heads : -1;
  return op("Transpose", {&op("Reshape", {&flat, &ints({0, 0, heads, size})})}, {{"perm", {0, 2, 1, 3}}});
}

GRAFT_INLINE Value& AttentionPrimitives::join_heads(Value& heads, std::int64_t count) {
  const Shape shape = heads.shape();
  const Dim size = shape.rank() == 4 ? shape[3] : Dim();
  const std::int64_t width = size.known() ? count * size.value() : -1;
  return op("Reshape", {&op("Transpose", {&heads}, {{"perm", {0, 2, 1, 3}}}), &ints({0, 0, width})});
}

GRAFT_INLINE Value& AttentionPrimitives::repeat_heads(Value& x, std::int64_t heads, std::int64_t times) {
  if (times == 1) return x;
  const Shape shape = x.shape();
  const Dim size = shape.rank() == 4 ? shape[3] : Dim();
  Value& each = op("Expand", {&unsqueeze(x, {2}), &ints({1, 1, times, 1, 1})});
  if (size.known()) return op("Reshape", {&each, &ints({0, heads * times, -1, size.value()})});
  Value& dims = op("Shape", {&x});
  Value& steps_and_size = op("Gather", {&dims, &ints({2, 3})}, {{"axis", 0}});
  return op("Reshape", {&each, &op("Concat", {&ints({0, heads * times}), &steps_and_size}, {{"axis", 0}})});
}

GRAFT_INLINE Value& AttentionPrimitives::scores(Value& q, Value& k, double scale) {
  Value& turned = op("Transpose", {&k}, {{"perm", {0, 1, 3, 2}}});
  if (dtype_ == DType::f16 && scale > 0 && scale < 1) {
    Value& root = number(std::sqrt(scale));
    return op("MatMul", {&op("Mul", {&q, &root}), &op("Mul", {&turned, &root})});
  }
  Value& products = op("MatMul", {&q, &turned});
  return scale == 1 ? products : op("Mul", {&products, &number(scale)});
}

GRAFT_INLINE Value& AttentionPrimitives::capped(Value& scores, double cap) {
  if (cap <= 0) return scores;
  return op("Mul", {&op("Tanh", {&op("Div", {&scores, &number(cap)})}), &number(cap)});
}

GRAFT_INLINE Value& AttentionPrimitives::hidden_keys(Value& mask, Value& k, double filter) {
  const std::size_t rank = mask.shape().rank();
  Value* shown = nullptr;
  if (rank == 1) {
    shown = &op("Less", {&range(extent(k, 2)), &unsqueeze(op("Cast", {&mask}, {{"to", DType::i64}}), {1})});
  } else {
    shown = &op("Greater", {&mask, &rewriter_.constant(Tensor::of<double>(mask.dtype(), {}, {0}), "zero")});
  }
  return unsqueeze(op("Where", {shown, &number(0), &number(filter)}), rank == 3 ? Ints{1} : Ints{1, 2});
}

GRAFT_INLINE Value& AttentionPrimitives::not_behind(Value& q, Value& k, Value* past) {
  Value* last = &range(extent(q, 2));
  if (past != nullptr) last = &op("Add", {last, past});
  return op("LessOrEqual", {&range(extent(k, 2)), &unsqueeze(*last, {1})});
}

GRAFT_INLINE Value& AttentionPrimitives::of_seeing(Value& weighted, Value& seen) {
  Value& counted = op("Cast", {&seen}, {{"to", dtype_}});
  return op("Mul", {&weighted, &op("ReduceMax", {&counted, &ints({-1})})});
}

GRAFT_INLINE Value& AttentionPrimitives::weighted(Value& scores, Value& v, DType precision) {
  const bool casts = precision != DType::undefined && precision != dtype_;
  Value& given = casts ? op("Cast", {&scores}, {{"to", precision}}) : scores;
  Value* weights = &op("Softmax", {&given}, {{"axis", -1}});
  if (casts) weights = &op("Cast", {weights}, {{"to", dtype_}});
  return op("MatMul", {weights, &v});
}

}  // namespace graft::inline v1::detail
