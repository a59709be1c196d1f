#pragma once
#include <graft/simplify/eliminate/remove_identity.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline bool leaves_its_name(const Node& identity) {
  const Value& input = *identity.input(0);
  if (!identity.output(0)->is_graph_output()) return true;
  return input.producer() != nullptr && &input.graph() == &identity.graph() && !input.is_graph_output();
}

inline constexpr auto remove_identity =
    rule<"remove-identity">(op<"Identity">(x).as(outer),
                            where(predicate<leaves_its_name>("it gives a graph output its name")(outer)), x);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView remove_identity = vocabulary::remove_identity.view();

}  // namespace graft::inline v1
