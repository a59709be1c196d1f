#pragma once
#include <graft/lower/decompose_fused_matmul.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/lower/detail/fused_product.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace detail {

/// The axes of an operand of FusedMatMul as MatMul wants them: the first goes to the place before the last, then the
/// last two are swapped.
inline Ints operand_axes(std::size_t rank, bool moves_batch, bool swaps) {
  Ints axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (moves_batch) std::rotate(axes.begin(), axes.begin() + 1, axes.end() - 1);
  if (swaps) std::swap(axes[rank - 1], axes[rank - 2]);
  return axes;
}

inline Verdict decompose_matmul(Rewriter& rewriter, const Node& node) {
  if (const Verdict fits = check_fused_product(node); !fits) return fits;
  std::array<Value*, 2> operands{node.input(0), node.input(1)};
  const float alpha = node.attr<float>("alpha").value_or(1);
  const auto scaled = [&](Value& value) -> Value& {
    const Tensor factor = Tensor::scalar(node.output(0)->dtype(), double{alpha});
    return rewriter.op("Mul", {&value, &rewriter.constant(factor, "alpha")});
  };
  const bool is_small = std::abs(alpha) < 1;
  const std::size_t smaller = operands[1]->is_constant() ? 1 : 0;  // the operand that a small alpha is multiplied to
  constexpr std::array<std::pair<const char*, const char*>, 2> names{
      {{"transBatchA", "transA"}, {"transBatchB", "transB"}}};
  const auto is_set = [&](const char* name) { return node.attr<std::int64_t>(name).value_or(0) != 0; };
  for (std::size_t i = 0; i < 2; ++i) {
    const bool moves_batch = is_set(names[i].first), swaps = is_set(names[i].second);
    const Shape shape = operands[i]->shape();
    if (is_small && i == smaller) operands[i] = &scaled(*operands[i]);
    if (!moves_batch && !swaps) continue;
    if (!shape.known() || shape.rank() < 2) return Verdict::no("the rank of what it transposes is not known, or 1");
    const Ints axes = operand_axes(shape.rank(), moves_batch, swaps);
    operands[i] = &rewriter.op("Transpose", {operands[i]}, {{"perm", axes}});
  }
  Value& product = rewriter.op("MatMul", {operands[0], operands[1]});
  return rewriter.replace(*node.output(0), alpha == 1 || is_small ? product : scaled(product));
}

}  // namespace detail

namespace vocabulary {

inline constexpr auto decompose_fused_matmul = rule<"decompose-fused-matmul">(
    op<"com.microsoft::FusedMatMul">(any, any).with(any_attributes).as(outer),
    [](const auto& m, Rewriter& rewriter) { return detail::decompose_matmul(rewriter, m[outer]); });

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView decompose_fused_matmul = vocabulary::decompose_fused_matmul.view();

}  // namespace graft::inline v1
