#pragma once
#include <graft/testing/detail/grow/recipe.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/testing/detail/grow/node_maker.hpp>

// Products of matrices.

namespace graft::inline v1::detail {

inline void make_matmul(NodeMaker& node) {
  const std::int64_t made = node.dice().any_of<std::int64_t>({1, 2, 3, 4, 8});
  if (!node.is_given(0) && node.is_given(1)) {
    const Value& y = *node.operand(1).value;
    const std::int64_t depth = NodeMaker::extent_from_end(y, NodeMaker::rank(y) > 1 ? 2 : 1);
    node.weight(0, {made, depth}, {-1, 1}, y.dtype());
    return;
  }
  const Value& x = node.value(0, {.least_rank = 1});
  const std::int64_t depth = NodeMaker::extent_from_end(x, 1);
  Dims dims{depth, made};
  if (node.operand(1).rank == std::size_t{3} || (NodeMaker::rank(x) > 2 && node.dice().one_in(4))) {
    const Dims outer = NodeMaker::dims(x);
    dims.insert(dims.begin(), outer.begin(), outer.end() - 2);
  } else if (node.is_free && node.dice().one_in(10)) {
    dims = {depth};
  }
  node.weight(1, dims, {-1, 1}, x.dtype());
}

inline void make_gemm(NodeMaker& node) {
  const auto is_set = [&](const char* name) {
    const auto said = node.fixed.find(name);
    return said != node.fixed.end() && said->second.proto().i() != 0;
  };
  if (!node.is_given(0)) node.may("transA", 1, 4);
  node.may("transB", 1);
  const std::int64_t made = node.dice().any_of<std::int64_t>({1, 2, 3, 4});
  const std::size_t depth_axis = is_set("transA") ? 2 : 1;
  std::int64_t columns = made;
  DType dtype = DType::f32;
  if (node.is_given(1) && !node.is_given(0)) {
    const Value& y = *node.operand(1).value;
    const std::int64_t depth = NodeMaker::extent_from_end(y, is_set("transB") ? 1 : 2);
    dtype = y.dtype();
    node.weight(0, is_set("transA") ? Dims{depth, made} : Dims{made, depth}, {-1, 1}, dtype);
    columns = NodeMaker::extent_from_end(y, is_set("transB") ? 2 : 1);
  } else {
    const Value& x = node.value(0, {.least_rank = 2, .max_rank = 2});
    const std::int64_t depth = NodeMaker::extent_from_end(x, depth_axis);
    dtype = x.dtype();
    node.weight(1, is_set("transB") ? Dims{made, depth} : Dims{depth, made}, {-1, 1}, dtype);
  }
  if (node.version() < 11 || node.wanted(2))
    node.weight(2, node.dice().any_of<Dims>({{columns}, {columns}, {1}, {1, columns}, {}}), {-1, 1}, dtype);
  node.may("alpha", node.dice().any_of({0.5, 2.0}), 3);
  node.may("beta", node.dice().any_of({0.5, 2.0}), 3);
}

inline void make_einsum(NodeMaker& node) {
  const Value& x = node.value(0, {.least_rank = 2, .max_rank = 3});
  const std::int64_t depth = NodeMaker::extent_from_end(x, 1);
  node.weight(1, {depth, 3}, {-1, 1}, x.dtype());
  node.set("equation", NodeMaker::rank(x) == 2 ? "ij,jk->ik" : "bij,jk->bik");
}

GRAFT_INLINE std::span<const Recipe> product_recipes() {
  static constexpr Recipe all[] = {{"MatMul", make_matmul}, {"Gemm", make_gemm}, {"Einsum", make_einsum}};
  return all;
}

}  // namespace graft::inline v1::detail
