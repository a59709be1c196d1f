#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Operators that read or write at indices, and operators that compute shapes.

namespace graft::inline v1::detail {

inline void make_slice(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const Dims dims = NodeMaker::extents(x);
  Ints starts, ends, axes, steps;
  bool has_steps = false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (!node.dice().one_in(2) && !(axes.empty() && i + 1 == dims.size())) continue;
    starts.push_back(node.dice().any_of<std::int64_t>({0, 0, 1, -1, -2}));
    ends.push_back(node.dice().any_of<std::int64_t>({1000, 9223372036854775807, -1, dims[i], 2}));
    axes.push_back(node.version() < 10 ? static_cast<std::int64_t>(i) : node.either_sign(i, dims.size()));
    steps.push_back(node.dice().any_of<std::int64_t>({1, 1, 1, 2}));
    if (node.dice().one_in(6)) {
      starts.back() = 100;
      ends.back() = -100;
      steps.back() = -1;
    }
    has_steps = has_steps || steps.back() != 1;
  }
  node.list("starts", starts);
  node.list("ends", ends);
  node.list("axes", axes);
  if (node.version() >= 10 && (has_steps || node.dice().one_in(3)) && node.wanted(4, 1)) node.list("steps", steps);
}

/// Indices within the extent; the operand is mostly constant.
inline void positions(NodeMaker& node, std::size_t i, const Dims& dims, std::int64_t extent, bool negative) {
  if (extent == 0) throw Unfit();
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(element_count(dims)));
  for (std::int64_t& number : numbers) number = node.dice().between(negative ? -extent : 0, extent - 1);
  node.constant(i, node.dice().one_in(4) && node.facts().type(node.facts().inputs()[i]).contains(DType::i32)
                       ? Tensor::of(DType::i32, dims, numbers)
                       : Tensor::of<std::int64_t>(dims, numbers));
}

inline void make_gather(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 1});
  const Dims dims = NodeMaker::extents(x);
  std::size_t axis = node.dice().below(dims.size());
  if (const auto said = node.fixed.find("axis"); said != node.fixed.end())
    axis = static_cast<std::size_t>(said->second.proto().i());
  if (axis >= dims.size() || !x.shape()[axis].known()) throw Unfit();
  node.set("axis", node.either_sign(axis, dims.size()));
  positions(node, 1, node.dice().any_of<Dims>({{}, {1}, {2}, {3}, {2, 2}}), dims[axis], node.version() >= 11);
}

inline void make_elements(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 1, 4));
  const std::size_t axis = node.dice().below(dims.size());
  node.set("axis", node.either_sign(axis, dims.size()));
  Dims chosen = dims;
  for (std::int64_t& extent : chosen) extent = std::max<std::int64_t>(1, extent - node.dice().between(0, 1));
  if (node.is("GatherElements")) {
    positions(node, 1, chosen, dims[axis], true);
    return;
  }
  // No index twice: the order of writes is undefined.
  chosen[axis] = 1;
  positions(node, 1, chosen, dims[axis], true);
  node.weight(2, chosen);
}

inline void make_nd(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 1, 4));
  if (std::count(dims.begin(), dims.end(), 0) != 0) throw Unfit();
  const std::size_t depth = 1 + node.dice().below(dims.size());
  std::vector<std::int64_t> at;
  for (std::size_t i = 0; i < depth; ++i) at.push_back(node.dice().between(0, dims[i] - 1));
  node.constant(1, Tensor::of<std::int64_t>({1, static_cast<std::int64_t>(depth)}, at));
  if (node.is("GatherND")) return;
  Dims updates{1};
  updates.insert(updates.end(), dims.begin() + static_cast<std::ptrdiff_t>(depth), dims.end());
  node.weight(2, updates);
}

inline void make_one_hot(NodeMaker& node) {
  const Want indices = Want{.least_rank = 1, .max_rank = 3, .exact = true}.of(index_bits);
  if (node.is_free && node.version() < 11) {  // before opset 11, indices must not be negative
    NodeMaker before(node.grower(), "Abs");
    before.value(0, indices);
    node.operands = {{NodeOperand::Kind::given, before.finish().output(0)}};
  }
  node.value(0, indices);
  node.constant(1, Tensor::scalar<std::int64_t>(3));
  node.weight(2, {2}, {0, 1}, node.grower().main_dtype());
  node.may("axis", node.dice().any_of({0, -1}));
}

inline void make_compress(NodeMaker& node) {
  const Dims dims = NodeMaker::dims(node.numeric(0, 1));
  const std::size_t axis = node.dice().below(dims.size());
  node.set("axis", static_cast<std::int64_t>(axis));
  node.weight(1, {dims[axis]}, {0, 1}, DType::boolean);
}

inline void make_top_k(NodeMaker& node) {
  const Value& x = node.value(0, Want{.least_rank = 1, .numeric = true, .exact = true});
  const Dims dims = NodeMaker::dims(x);
  const std::size_t axis = node.dice().below(dims.size());
  node.set("axis", node.either_sign(axis, dims.size()));
  if (node.version() < 10) node.set("k", 1);
  else node.ints(1, {std::min<std::int64_t>(dims[axis], node.dice().between(1, 3))});
  node.may("largest", 0);
  node.outputs = 2;
}

inline void make_unique(NodeMaker& node) { node.value(0, Want{.max_rank = 1, .exact = true}); }

inline void make_shape(NodeMaker& node) {
  node.value(0);
  if (node.version() < 15) return;
  node.may("start", node.dice().between(-2, 1), 4);
  node.may("end", node.dice().between(-1, 3), 4);
}

inline void make_constant_of_shape(NodeMaker& node) {
  if (node.is_free) {
    NodeMaker before(node.grower(), "Shape");
    before.value(0);
    node.operands = {{NodeOperand::Kind::given, before.finish().output(0)}};
  }
  node.value(0, {.least_rank = 1, .max_rank = 1});
  const DType dtype = node.dice().any_of({DType::f32, DType::i64, DType::i32, DType::boolean, DType::f16});
  node.may("value", Tensor::of(dtype, {1}, {node.dice().any_of({0.0, 1.0, 2.0})}));
}

inline void make_range(NodeMaker& node) {
  const DType dtype = node.dice().any_of({DType::i64, DType::i32, DType::f32});
  const double start = static_cast<double>(node.dice().between(-2, 2));
  node.constant(0, Tensor::of(dtype, {}, {start}));
  node.constant(1, Tensor::of(dtype, {}, {start + static_cast<double>(node.dice().between(1, 5))}));
  node.constant(2, Tensor::of(dtype, {}, {1.0}));
}

inline void make_eye_like(NodeMaker& node) {
  node.value(0, {.least_rank = 2, .max_rank = 2});
  node.may("k", node.dice().between(-1, 1));
}

GRAFT_INLINE std::span<const Recipe> indexing_recipes() {
  static constexpr Recipe all[] = {{"Slice", make_slice},
                                   {"Gather", make_gather},
                                   {"GatherElements|ScatterElements", make_elements},
                                   {"GatherND|ScatterND", make_nd},
                                   {"OneHot", make_one_hot},
                                   {"Compress", make_compress},
                                   {"TopK", make_top_k},
                                   {"Unique|NonZero", make_unique},
                                   {"Shape|Size", make_shape},
                                   {"ConstantOfShape", make_constant_of_shape},
                                   {"Range", make_range},
                                   {"EyeLike", make_eye_like}};
  return all;
}

}  // namespace graft::inline v1::detail
