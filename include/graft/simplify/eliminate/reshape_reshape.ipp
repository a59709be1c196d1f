#pragma once
#include <graft/simplify/eliminate/reshape_reshape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/reshaping.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool copies_nothing(const Ints& wanted, const std::optional<std::int64_t>& zero_is_meant) {
  return zero_is_meant.value_or(0) != 0 || std::find(wanted.begin(), wanted.end(), 0) == wanted.end();
}

/// The shape without 0; nullopt if that cannot be told.
inline std::optional<Ints> spelled_out(const Node& before, const Ints& wanted) {
  const Shape from = before.output(0)->shape();
  Ints result = wanted;
  bool infers = std::find(wanted.begin(), wanted.end(), -1) != wanted.end();
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] != 0) continue;
    if (!from.known() || i >= from.rank()) return std::nullopt;
    if (!from[i].known() && infers) return std::nullopt;
    result[i] = from[i].known() ? from[i].value() : -1;
    infers = infers || !from[i].known();
  }
  // An extent of 0 has no place beside -1, which divides by it, nor in a shape where 0 copies.
  if (std::find(result.begin(), result.end(), 0) != result.end()) return std::nullopt;
  return result;
}

inline constexpr auto reshape_reshape =
    rule<"reshape-reshape">(op<"Reshape">(reshaping(x).shared()).with(shape, opt(allowzero)).as(outer),
                            where(predicate<copies_nothing>("its shape copies an extent")(shape, allowzero)), outer(x));

inline constexpr auto reshape_reshape_copying = rule<"reshape-reshape-copying">(
    op<"Reshape">(reshaping(x).shared().as(inner)).with(shape, opt(allowzero == 0)).as(outer),
    outer(x).with(shape = call<spelled_out>(inner, shape)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView reshape_reshape = vocabulary::reshape_reshape.view();

GRAFT_INLINE constinit const RuleView reshape_reshape_copying = vocabulary::reshape_reshape_copying.view();

}  // namespace graft::inline v1
