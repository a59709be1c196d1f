#pragma once
#include <concepts>
#include <type_traits>

#include <graft/rewrite/detail/pass_misuse.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// One pass, then the other: a | b | fixpoint(c | d). A pipeline needs what no earlier step provides. Without it,
/// run() throws Error before the first step.
Pass operator|(const Pass& first, const Pass& second);

/// What may have been meant as a pass fails to compile, with a sentence that says why it is none.
template <class T>
  requires(!std::convertible_to<T, Pass> && detail::meant_as_pass<std::remove_cvref_t<T>>)
Pass operator|(const Pass& first, T&&) {
  detail::refuse_as_pass<std::remove_cvref_t<T>>();
  return first;
}

/// The pass, and after it another: pipeline |= fixpoint(a, b).
inline Pass& operator|=(Pass& first, const Pass& second) {
  return first = first | second;
}

/// Repeats a pass until a round changes nothing, within the Context's budget of seconds and at most 100 rounds.
Pass fixpoint(const Pass& body);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/pass_sequences.ipp>
#endif
