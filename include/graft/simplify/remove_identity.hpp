#pragma once
#include <graft/graph/graph.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Identity(x)
// After:   x
//
// Where the result is a graph output, what makes x gets its name. The Identity stays where nothing could bear it: x is
// an input, an initializer, an output already, or of a scope outside.

namespace graft::inline v1 {
namespace detail::simplification {

inline bool leaves_its_name(const Node& identity) {
  const Value& input = *identity.input(0);
  if (!identity.output(0)->is_graph_output()) return true;
  return input.producer() != nullptr && &input.graph() == &identity.graph() && !input.is_graph_output();
}

inline constexpr auto remove_identity =
    rule<"remove-identity">(op<"Identity">(x).as(outer),
                            where(predicate<leaves_its_name>("it gives a graph output its name")(outer)), x);

}  // namespace detail::simplification

using detail::simplification::remove_identity;

}  // namespace graft::inline v1
