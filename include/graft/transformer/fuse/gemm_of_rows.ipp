#pragma once
#include <graft/transformer/fuse/gemm_of_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshape_target.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto factor_matrix = val<"matrix">;

inline Verdict multiplies_rows(const Node& joined, const Value& matrix, const Value* added, const Node& split) {
  const Shape rows = joined.output(0)->shape(), by = matrix.shape(), result = split.output(0)->shape();
  if (rows.rank() != 2 || by.rank() != 2 || result.rank() < 3) return Verdict::no("the result has no batches");
  if (!same_size(result[result.rank() - 1], by[1])) return Verdict::no("columns are split or joined");
  for (const Dim& dim : infer::to_dims(result))
    if (dim == Dim(0)) return Verdict::no("an extent is 0");
  if (added == nullptr) return Verdict::yes();
  const Shape row = added->shape();
  const bool is_row = row.known() && (row.rank() < 2 || (row.rank() == 2 && row[0] == Dim(1)));
  return is_row ? Verdict::yes() : Verdict::no("the addend may differ from row to row");
}

/// Whether a shape of as many elements is this one: what one of its extents is follows from the others.
inline bool has_extents(const Shape& given, const std::vector<Dim>& wanted) {
  std::size_t open = 0;
  if (!given.known() || given.rank() != wanted.size()) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (same_size(given[i], wanted[i])) continue;
    if (wanted[i] != Dim() || ++open > 1) return false;
  }
  return true;
}

inline constexpr auto gemm_of_rows = rule<"gemm-of-rows">(
    op<"Reshape">(
        op<"Gemm">(op<"Reshape">(x, any).with(opt(any_allowzero)).as(inner), factor_matrix, opt(addend)), any)
        .with(opt(any_allowzero.named<"outer_allowzero">()))
        .as(outer),
    where(predicate<multiplies_rows>("")(inner, factor_matrix, addend, outer)), [](const auto& m, Rewriter& rewriter) {
      std::vector<Dim> batches = infer::to_dims(m[outer].output(0)->shape());
      batches.back() = m[factor_matrix].shape()[0];
      Value* rows = &m[x];
      if (!has_extents(m[x].shape(), batches)) {
        const auto target = ReshapeTarget::of(m[x].shape(), {batches.begin(), batches.end()}, false);
        if (!target) return Verdict::no("several extents are not those of the input");
        const std::int64_t count = std::ssize(target->numbers);
        rows = &rewriter.op("Reshape", {rows, &rewriter.constant(Tensor::of({count}, target->numbers), "target")});
      }
      Value* result = &rewriter.op("MatMul", {rows, &m[factor_matrix]});
      if (m[addend] != nullptr) result = &rewriter.op("Add", {result, m[addend]});
      return rewriter.replace(*m[outer].output(0), *result);
    });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView gemm_of_rows = vocabulary::gemm_of_rows.view();

}  // namespace graft::inline v1
