#pragma once
#include <graft/simplify/eliminate/transpose_transpose.hpp>

#include <cstddef>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/shape.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

GRAFT_INLINE std::optional<Ints> composed_perm(const Value& input, const std::optional<Ints>& first,
                                               const std::optional<Ints>& second) {
  const Shape known = input.shape();
  if (!first && !second && !known.known()) return std::nullopt;
  const std::size_t rank = first ? first->size() : second ? second->size() : known.rank();
  if (first && second && first->size() != second->size()) return std::nullopt;
  const auto source = [rank](const std::optional<Ints>& order, std::size_t i) {
    return order ? static_cast<std::size_t>((*order)[i]) : rank - 1 - i;
  };
  Ints composed(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t between = source(second, i);
    if (between >= rank) return std::nullopt;
    composed[i] = static_cast<std::int64_t>(source(first, between));
  }
  return composed;
}

inline constexpr auto transpose_transpose =
    rule<"transpose-transpose">(op<"Transpose">(op<"Transpose">(x).with(opt(inner_perm)).shared())
                                    .with(opt(perm))
                                    .as(outer),
                                outer(x).with(perm = call<composed_perm>(x, inner_perm, perm)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView transpose_transpose = vocabulary::transpose_transpose.view();

}  // namespace graft::inline v1
