#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/reduce.hpp>

namespace graft::inline v1::infer {

/// BatchNormalization. Y is like X; further outputs in training are like the mean and the variance alternately.
inline Verdict batch_normalization(InferContext& c) {
  c.set_shape(0, c.shape(0));
  for (std::size_t i = 1; i < c.output_count(); ++i) c.set_shape(i, c.shape(i % 2 == 1 ? 3 : 4));
  return Verdict::yes();
}

/// The shape of statistics over all axes from this one on; of unknown rank if the axis is out of range.
inline Shape statistics_shape(const Shape& x, std::int64_t axis_attribute) {
  const auto axis = normalized(axis_attribute, x.rank());
  if (!x.known() || !axis) return {};
  std::vector<bool> marked(x.rank());
  for (std::size_t i = *axis; i < x.rank(); ++i) marked[i] = true;
  return reduced(x, marked, true);
}

inline Verdict group_normalization(InferContext& c) {
  if (c.attr("num_groups", 1) < 1) return Verdict::no("num_groups is not positive");
  c.set_shape(0, c.shape(0));
  return Verdict::yes();
}

/// LayerNormalization. Y is like X; Mean and InvStdDev have the dtype of stash_type.
inline Verdict layer_normalization(InferContext& c) {
  const Shape x = c.shape(0);
  if (x.known() && !normalized(c.attr("axis", -1), x.rank())) return Verdict::no("axis is out of range");
  c.set_shape(0, x);
  const Shape statistics = statistics_shape(x, c.attr("axis", -1));
  const DType stash = c.attr<DType>("stash_type").value_or(DType::f32);
  c.set(1, stash, statistics);
  c.set(2, stash, statistics);
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
