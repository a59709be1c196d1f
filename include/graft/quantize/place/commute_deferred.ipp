#pragma once
#include <graft/quantize/place/commute_deferred.hpp>

#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/where.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/place/commutation.hpp>
#include <graft/quantize/place/detail/commute_captures.hpp>
#include <graft/quantize/place/detail/row.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1 {

namespace detail::commute {

inline Verdict is_deferred(const Node& in_front, const Node& activation, const Node& quantizer, const Target& runtime) {
  std::optional<std::vector<const Node*>> row = row_up_to(in_front, runtime);
  if (!row) return Verdict::no("no kernel of the target stands in front of it, with activations that it fuses");
  row->push_back(&activation);
  return deferrable(*row, RowEnd(quantizer), runtime);
}

inline constexpr auto past_deferred =
    rule<"commute-dq-past-activation">(quantized_twice,
                                       where(predicate<is_deferred>("")(before, act, q2, target)),
                                       q2(act(before(operands), more), s2, z2))
        .changes_values("what quantizing in front of the activation does");

}  // namespace detail::commute

namespace commute {

GRAFT_INLINE constinit const RuleView past_deferred = detail::commute::past_deferred.view();

}  // namespace commute
}  // namespace graft::inline v1
