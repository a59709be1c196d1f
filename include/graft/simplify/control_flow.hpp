#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  If(condition) {then_branch, else_branch}
// After:   the nodes of the branch that is taken
//
// The condition is a constant of one element. What the branch holds gets fresh names; its outputs take over from those
// of the If. An If in the branch whose condition is such a constant gives way to its own branch in the same step.
extern const RuleView constant_if;

// Before:  Loop(n, condition?, a ...) {body}
// After:   the nodes of the body, n times
//
// What an iteration carries is what the next one takes; the slices of a scan output, each with an axis of 1 in front,
// are joined by Concat. n is known; the condition is absent or true, and in the body it is constant and true, or that
// which the body takes, behind any Identity. With n = 0 there are no scan outputs.

/// Which Loops unroll_loops() writes out.
struct UnrollOptions {
  std::int64_t max_trips = 8;   ///< iterations of a Loop
  std::size_t max_nodes = 512;  ///< nodes that take its place, those of bodies among them
};

/// Loops of few and known iterations become the nodes of their bodies, the innermost Loops first. Without the Loop,
/// constants fold and fusions reach across iterations: simplify() should follow. Types are inferred first.
Pass unroll_loops(UnrollOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/control_flow.ipp>
#endif
