#pragma once
#include <graft/simplify/eliminate/reshape_matmul_reshape.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/matmul.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// The extents of a stack of matrices.
struct MatrixStack {
  std::vector<Dim> batch;  // without leading 1
  Dim rows, columns;

  MatrixStack(const Shape& of, bool is_first) {
    batch = infer::to_dims(of);
    if (batch.size() == 1) batch.insert(is_first ? batch.begin() : batch.end(), Dim(1));
    columns = batch.back();
    rows = batch[batch.size() - 2];
    batch.resize(batch.size() - 2);
    batch.erase(batch.begin(), std::find_if(batch.begin(), batch.end(), [](const Dim& dim) { return dim != Dim(1); }));
  }
  bool is_one() const { return batch.empty(); }
  bool has_matrices_of(const MatrixStack& other) const {
    return same_size(rows, other.rows) && same_size(columns, other.columns);
  }
  bool has_batch_of(const MatrixStack& other) const { return same_size(Shape(batch), Shape(other.batch)); }
};

/// Whether p(a) times q(b) has the elements of a times b in the same order.
inline bool multiplies_alike(const Shape& from_a, const Shape& from_b, const Shape& to_a, const Shape& to_b) {
  for (const Shape* const operand : {&from_a, &from_b, &to_a, &to_b})
    if (!operand->known() || operand->rank() == 0) return false;
  if (from_a.rank() == 1 && from_b.rank() == 1) return false;
  const MatrixStack first(from_a, true), second(from_b, false), as_first(to_a, true), as_second(to_b, false);
  if (!second.has_matrices_of(as_second) || !same_size(first.columns, as_first.columns)) return false;
  if (second.is_one() && as_second.is_one()) return true;
  if (!first.has_matrices_of(as_first)) return false;
  if (first.is_one() && as_first.is_one()) return true;
  return first.has_batch_of(second) && as_first.has_batch_of(as_second);
}

/// What an operator that reshapes made the value of; nullptr if another did.
inline Value* before_reshaping(Value& value) {
  const Node* const node = value.producer();
  if (node == nullptr) return nullptr;
  const bool reshapes = node->is("Reshape") || node->is("Flatten") || node->is("Squeeze") || node->is("Unsqueeze");
  return reshapes ? node->input(0) : nullptr;
}

inline constexpr auto reshape_matmul_reshape = rule<"reshape-matmul-reshape">(
    reshaping(op<"MatMul">(x, y).as(inner)).as(outer), [](const auto& m, Rewriter& rewriter) {
      Value *const before_x = before_reshaping(m[x]), *const before_y = before_reshaping(m[y]);
      const Shape wanted = m[outer].output(0)->shape();
      const std::pair<Value*, Value*> operands[] = {{before_x, before_y}, {before_x, &m[y]}, {&m[x], before_y}};
      for (const auto& [first, second] : operands) {
        if (first == nullptr || second == nullptr) continue;
        if (!multiplies_alike(first->shape(), second->shape(), m[x].shape(), m[y].shape())) continue;
        const auto product = infer::matmul_shape(first->shape(), second->shape());
        if (!product || !same_size(*product, wanted)) continue;
        return rewriter.replace(*m[outer].output(0), *rewriter.clone(m[inner], {first, second}).output(0));
      }
      return Verdict::no("without the reshapes the product may differ");
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView reshape_matmul_reshape = vocabulary::reshape_matmul_reshape.view();

}  // namespace graft::inline v1
