#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  If(condition) {then_branch, else_branch}
// After:   the nodes of the branch that is taken
//
// The condition is a constant of one element. Values of the branch get fresh names; its outputs replace those of the
// If. If the branch holds an If with a constant condition, the rule replaces that, too.
extern const RuleView constant_if;

// Before:  Loop(n, condition?, a ...) {body}
// After:   the nodes of the body, n times
//
// Each iteration takes the values that the one before carries on. Concat joins the slices of a scan output, each with
// an axis of 1 in front. n is known. The condition is absent or true. In the body, it is a constant true, or the
// condition that the body takes, possibly through Identities. If n is 0, there are no scan outputs.

/// Limits for the Loops that unroll_loops() unrolls.
struct UnrollOptions {
  std::int64_t max_trips = 8;   ///< iterations of a Loop
  std::size_t max_nodes = 512;  ///< nodes that replace it, including those of bodies
};

/// Replaces Loops of few and known iterations by the nodes of their bodies, the innermost Loops first. Then constants
/// fold and fusions work across iterations, so simplify() should follow. The pass infers types first.
Pass unroll_loops(UnrollOptions options = {});

}  // namespace graft::inline v1
