#pragma once
#include <cstddef>
#include <type_traits>

#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>

// Compile-time checks of whole patterns, conditions and replacements. Each misuse gives one sentence.

namespace graft::inline v1::detail {

/// Captures that matching does not bind: arguments, and nodes that a replacement names.
template <class C>
struct Extras;
template <>
struct Extras<Captures<>> {
  using type = Captures<>;
};
template <CaptureId First, CaptureId... More>
struct Extras<Captures<First, More...>> {
  static constexpr bool wanted =
      kind_of(First) == Kind::arg || (kind_of(First) == Kind::node && form_of(First) == Form::one);
  using type = typename Concatenated<std::conditional_t<wanted, Captures<First>, Captures<>>,
                                     typename Extras<Captures<More...>>::type>::type;
};

/// All captures with a slot: those of a pattern, and those that conditions and a replacement add.
template <class Before, class... Uses>
using SlotCaptures = Join<Before, typename Extras<Uses>::type...>;

constexpr bool is_marker(CaptureId id) { return kind_of(id) == Kind::marker; }

/// An unbound node in out(...); 0 if there is none.
template <class C>
consteval CaptureId unbound_node() {
  for (const CaptureId id : C::ids) {
    if (refers(form_of(id))) return id;
  }
  return 0;
}

template <class C>
consteval bool lists_unlistable() {
  for (const CaptureId id : C::ids) {
    const Kind kind = kind_of(id);
    const bool listable = !is_attribute(kind) || kind == Kind::i64 || kind == Kind::axis || kind == Kind::f32;
    if (form_of(id) == Form::list && !listable) return true;
  }
  return false;
}

/// The errors name the template argument: the capture.
template <class Name>
struct UnboundNode {
  static_assert(sizeof(Name) == 0, "graft: out(...) names a node that the pattern does not bind by .as(...)");
};

/// A pattern to match.
template <class C>
consteval void check_looked_for() {
  static_assert(!C::has(only_built),
                "graft: the pattern to look for contains what only a replacement can: a node called with operands, "
                ".like(...), an assigned attribute, a new constant, folded(...) or outputs(...)");
  static_assert(!lists_unlistable<C>(),
                "graft: below each(...), only attributes of type int64_t, Axis and float can become lists; bind "
                "others outside too");
  constexpr CaptureId unbound = unbound_node<C>();
  if constexpr (unbound) static_cast<void>(sizeof(UnboundNode<Spelling<unbound>>));
}

enum class Misuse { none, unbound, maybe_absent, other_kind, a_list, no_list };

struct MisusedCapture {
  Misuse what = Misuse::none;
  CaptureId capture = 0;
};

/// The first use of a capture that does not match the pattern's bindings.
template <class Before, class Uses>
consteval MisusedCapture misused() {
  for (const CaptureId use : Uses::ids) {
    const Kind kind = kind_of(use);
    if (kind == Kind::arg || is_marker(use)) continue;
    const std::size_t at = Before::find(use);
    if (at == Before::size) {
      if (kind == Kind::node && form_of(use) == Form::one) continue;  // names a new node
      return {Misuse::unbound, use};
    }
    const CaptureId bound = Before::ids[at];
    const Form has = form_of(bound), wants = form_of(use);
    if (kind_of(bound) != kind) return {Misuse::other_kind, use};
    if (kind == Kind::node) {
      if (wants == Form::ref && has == Form::maybe) return {Misuse::maybe_absent, use};
      if (wants == Form::list && has != Form::list) return {Misuse::no_list, use};
      continue;
    }
    if (wants == Form::list && has != Form::list) return {Misuse::no_list, use};
    if (wants != Form::list && has == Form::list) return {Misuse::a_list, use};
    if (wants == Form::one && has == Form::maybe) return {Misuse::maybe_absent, use};
  }
  return {};
}

template <Misuse What, class Name>
struct ConditionMisuses {
  static_assert(What != Misuse::unbound,
                "graft: where(...) uses a capture that the pattern to look for does not bind");
  static_assert(What != Misuse::other_kind,
                "graft: where(...) uses a capture as another kind than the pattern binds it");
  static_assert(What != Misuse::maybe_absent,
                "graft: where(...) uses a capture that may be absent; let the predicate take a pointer or an optional");
  static_assert(What != Misuse::a_list,
                "graft: where(...) uses a capture that is a list here; let the predicate take a span");
  static_assert(What != Misuse::no_list, "graft: where(...) uses a capture as a list that is none");
};

/// where(...) over a pattern.
template <class Before, class Uses>
consteval void check_conditions() {
  constexpr MisusedCapture wrong = misused<Before, Uses>();
  if constexpr (wrong.capture) static_cast<void>(sizeof(ConditionMisuses<wrong.what, Spelling<wrong.capture>>));
}

template <Misuse What, class Name>
struct ReplacementMisuses {
  static_assert(What != Misuse::unbound,
                "graft: the replacement uses a capture that the pattern to look for does not bind");
  static_assert(What != Misuse::other_kind,
                "graft: the replacement uses a capture as another kind than the pattern binds it");
  static_assert(What != Misuse::maybe_absent,
                "graft: the replacement uses a capture that may be absent; write opt(...), or let the function take "
                "a pointer or an optional");
  static_assert(What != Misuse::a_list,
                "graft: the replacement uses a capture that is a list here; write each(...), or let the function take"
                " a span");
  static_assert(What != Misuse::no_list, "graft: the replacement uses a capture as a list that is none");
};

/// A replacement for a pattern.
template <class Before, class Uses>
consteval void check_replacement() {
  constexpr MisusedCapture wrong = misused<Before, Uses>();
  if constexpr (wrong.capture) static_cast<void>(sizeof(ReplacementMisuses<wrong.what, Spelling<wrong.capture>>));
  static_assert(!Uses::has(only_looked_for),
                "graft: the replacement contains what can only be looked for: one_of, any_op, comm, either, chain, "
                "roots, an attribute compared by ==, or a constrained operand");
}

}  // namespace graft::inline v1::detail
