#pragma once
#include <cstddef>

#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Gemm(x, y, addend)
//
// x and y are matrices of a dtype that Gemm has at the graph's opset, 7 or later. addend broadcasts to the product, and
// the product not to the addend: by known extents or equal symbols.

namespace graft::inline v1 {
namespace detail::simplification {

inline Verdict adds_to_product(const Node& product, const Value& other) {
  const Value &first = *product.input(0), &second = *product.input(1);
  const Shape addend_shape = other.shape();
  if (!addend_shape.known() || addend_shape.rank() > 2) return Verdict::no("the addend may be of more than rank 2");
  for (std::size_t i = 0; i < addend_shape.rank(); ++i) {
    const bool is_last = i + 1 == addend_shape.rank();
    const Dim extent = addend_shape[i], wanted = is_last ? second.shape()[1] : first.shape()[0];
    const bool is_one = extent.known() && extent.value() == 1;
    if (!is_one && !same_size(extent, wanted)) return Verdict::no("the addend may broadcast the product");
  }
  return Verdict::yes();
}

inline constexpr auto matmul_add_to_gemm =
    rule<"matmul-add-to-gemm">(comm<"Add">(op<"MatMul">(x.rank(2), y.rank(2)).as(inner), addend).since(7),
                               where(predicate<adds_to_product>("")(inner, addend)), op<"Gemm">(x, y, addend));

}  // namespace detail::simplification

using detail::simplification::matmul_add_to_gemm;

}  // namespace graft::inline v1
