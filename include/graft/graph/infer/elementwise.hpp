#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/dtype.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// Elementwise operators, and other operators whose output is like an input.
namespace graft::inline v1::infer {

/// Gives output 0 the type of input 0, of whatever kind.
inline Verdict same_type(InferContext& c) {
  c.set_like(0, 0);
  return Verdict::yes();
}

/// Gives output 0 the shape of input 0.
inline Verdict same_shape(InferContext& c) {
  c.set_shape(0, c.shape(0));
  return Verdict::yes();
}

/// Gives output 0 the shape of input 0, which must have the attribute's axis. Before version 13 the axis of Softmax and
/// similar operators may be the rank, because it splits the axes into two groups.
inline Verdict along_axis(InferContext& c) {
  const Shape x = c.shape(0);
  const std::int64_t axis = c.attr("axis", -1);
  const bool behind_all = c.opset() < 13 && axis == static_cast<std::int64_t>(x.rank());
  if (x.known() && !behind_all && !normalized(axis, x.rank())) return Verdict::no("axis is out of range");
  return same_shape(c);
}

/// CumProd, CumSum. The axis is an input.
inline Verdict cumulative(InferContext& c) {
  const Shape x = c.shape(0);
  const auto axis = c.integer(1);
  if (x.known() && axis && !normalized(*axis, x.rank())) return Verdict::no("axis is out of range");
  return same_shape(c);
}

/// LRN. Sums over `size` neighbouring channels.
inline Verdict local_response(InferContext& c) {
  if (c.attr("size", 1) < 1) return Verdict::no("size is not positive");
  return same_shape(c);
}

/// Gives output 0 the shape of input 0, and the dtype of an attribute; without it, the dtype of input 0.
inline Verdict cast_by(InferContext& c, std::string_view attribute) {
  c.set(0, c.attr<DType>(attribute).value_or(c.dtype(0)), c.shape(0));
  return Verdict::yes();
}

inline Verdict cast(InferContext& c) { return cast_by(c, "to"); }

/// BitCast. Both dtypes must have the same width.
inline Verdict bit_cast(InferContext& c) {
  const std::size_t from = bits(c.dtype(0)), to = bits(c.attr<DType>("to").value_or(DType::undefined));
  if (from != 0 && to != 0 && from != to)
    return Verdict::no("the dtypes are of different width");
  return cast(c);
}

/// Bernoulli, EyeLike, RandomNormalLike, RandomUniformLike.
inline Verdict random_like(InferContext& c) { return cast_by(c, "dtype"); }

/// Broadcasts inputs from `first` on into output 0.
inline Verdict broadcast_inputs(InferContext& c, std::size_t first, std::size_t count, std::size_t step = 1) {
  Shape shape = c.shape(first);
  for (std::size_t i = 1; i < count; ++i) {
    const auto joined = broadcast(shape, c.shape(first + i * step));
    if (!joined) return Verdict::no("the inputs do not broadcast");
    shape = *joined;
  }
  c.set_shape(0, shape);
  return Verdict::yes();
}

/// Add, And, Equal, Pow ... Before version 7 only the second operand broadcasts.
inline Verdict binary(InferContext& c) { return c.opset() < 7 ? same_shape(c) : broadcast_inputs(c, 0, 2); }

/// Max, Min, Mean, Sum. Before version 8 all inputs have the same shape.
inline Verdict variadic(InferContext& c) {
  return c.opset() < 8 ? same_shape(c) : broadcast_inputs(c, 0, c.input_count());
}

inline Verdict where(InferContext& c) { return broadcast_inputs(c, 0, 3); }

/// Dropout. The mask has the shape of the input and, before version 10, its dtype.
inline Verdict dropout(InferContext& c) {
  c.set_shape(1, c.shape(0));
  return same_shape(c);
}

}  // namespace graft::inline v1::infer
