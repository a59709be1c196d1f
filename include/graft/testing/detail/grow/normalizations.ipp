#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that subtract a mean and divide by a deviation.

namespace graft::inline v1::detail {

inline void make_batch_normalization(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 2});
  const Shape shape = x.shape();
  if (shape.rank() < 2 || !shape[1].known()) throw Unfit();
  const Dims channels{shape[1].value()};
  for (std::size_t i = 1; i < 4; ++i) node.weight(i, channels, i == 1 ? Interval{0.5, 2} : Interval{-1, 1}, x.dtype());
  node.weight(4, channels, {0.5, 2}, x.dtype());
  node.may("epsilon", 0.01);
  node.may("momentum", 0.8, 4);
}

inline void make_instance_normalization(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 3, .max_rank = 4});
  const Dims extents = NodeMaker::extents(x);
  if (!x.shape()[1].known() || std::count(extents.begin(), extents.end(), 0) != 0) throw Unfit();
  const std::int64_t channels = x.shape()[1].value();
  if (node.is("GroupNormalization")) {
    const std::int64_t groups = channels % 2 == 0 ? 2 : 1;
    node.set("num_groups", groups);
    const std::int64_t parameters = node.version() < 21 ? groups : channels;
    node.weight(1, {parameters}, {0.5, 2}, x.dtype());
    node.weight(2, {parameters}, {-1, 1}, x.dtype());
    return;
  }
  node.weight(1, {channels}, {0.5, 2}, x.dtype());
  node.weight(2, {channels}, {-1, 1}, x.dtype());
}

inline void make_layer_normalization(NodeMaker& node) {
  const bool standard = node.is("LayerNormalization") || node.is("RMSNormalization");
  const Value& x = node.value(0, {.least_rank = standard ? std::size_t{1} : 2});
  Dims dims{NodeMaker::extent_from_end(x, 1)};
  if (dims[0] == 0) throw Unfit();
  const std::size_t rank = NodeMaker::rank(x);
  if (node.may_have("axis") && rank > 1 && node.dice().one_in(4)) {
    dims.insert(dims.begin(), NodeMaker::extent_from_end(x, 2));
    node.set("axis", node.either_sign(rank - 2, rank));
  } else {
    node.may("axis", node.either_sign(rank - 1, rank));
  }
  node.weight(1, dims, {0.5, 2}, node.operand(1).dtypes == 0xffffffff ? std::optional(x.dtype()) : std::nullopt);
  if (node.facts().input(2) != nullptr && node.wanted(2)) node.weight(2, dims, {-1, 1}, x.dtype());
  node.may("epsilon", node.dice().any_of({1e-5, 0.01}));
}

inline void make_skip_normalization(NodeMaker& node) {
  const Value& x = node.value(node.is_given(1) && !node.is_given(0) ? 1 : 0, {.least_rank = 3, .max_rank = 3});
  const std::size_t other = node.is_given(1) && !node.is_given(0) ? 0 : 1;
  node.value(other, Want{.least_rank = 3, .max_rank = 3, .dims = x.shape().dims()}.of(dtype_bit(x.dtype())));
  const std::int64_t width = NodeMaker::extent_from_end(x, 1);
  node.weight(2, {width}, {0.5, 2}, x.dtype());
  if (node.wanted(3)) node.weight(3, {width}, {-1, 1}, x.dtype());
  if (node.is("com.microsoft::SkipLayerNormalization") && node.wanted(4)) node.weight(4, {width}, {-1, 1}, x.dtype());
  node.may("epsilon", 0.01);
  if (node.is_free && node.dice().one_in(3)) node.outputs = 4;
}

inline void make_mean_variance(NodeMaker& node) {
  node.value(0, Want{.least_rank = 4, .max_rank = 4}.of(dtype_bit(DType::f32)));
  node.may("axes", Ints{0, 2, 3});
}

GRAFT_INLINE std::span<const Recipe> normalization_recipes() {
  static constexpr Recipe all[] = {
      {"BatchNormalization", make_batch_normalization},
      {"InstanceNormalization|GroupNormalization", make_instance_normalization},
      {"LayerNormalization|RMSNormalization|SimplifiedLayerNormalization", make_layer_normalization},
      {"com.microsoft::SkipLayerNormalization|com.microsoft::SkipSimplifiedLayerNormalization",
       make_skip_normalization},
      {"MeanVarianceNormalization", make_mean_variance}};
  return all;
}

}  // namespace graft::inline v1::detail
