#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include <graft/pattern/capture.hpp>

namespace graft::inline v1 {

/// The captures of a pattern. A capture's position in the list is its slot.
template <CaptureId... Id>
struct Captures {
  static constexpr std::size_t size = sizeof...(Id);
  static constexpr std::array<CaptureId, size> ids{Id...};

  /// The position of the capture of that name and name space; size if there is none.
  static constexpr std::size_t find(CaptureId id) {
    std::size_t i = 0;
    while (i < size && name_of(ids[i]) != name_of(id)) ++i;
    return i;
  }
  static constexpr bool has(CaptureId id) { return find(id) < size; }
};

namespace detail {

/// Marks of patterns that are valid on one side of a rule only.
inline constexpr CaptureId only_looked_for = capture_id("looked for", Kind::marker);
inline constexpr CaptureId only_built = capture_id("built", Kind::marker);

enum class Clash { none, node_twice, two_kinds };

template <std::size_t N>
struct Merged {
  std::array<CaptureId, N> ids{};
  std::size_t size = 0;
  Clash clash = Clash::none;
  CaptureId clashing = 0;

  constexpr void add(CaptureId id) {
    std::size_t i = 0;
    while (i < size && name_of(ids[i]) != name_of(id)) ++i;
    if (i == size) {
      ids[size++] = id;
    } else {
      ids[i] = combined(ids[i], id);
    }
  }

 private:
  /// Combines one capture at two places that are both matched.
  constexpr CaptureId combined(CaptureId a, CaptureId b) {
    const Form form_a = form_of(a), form_b = form_of(b);
    if (kind_of(a) != kind_of(b)) return fail(a, Clash::two_kinds);
    if (kind_of(a) == Kind::node) {
      if (refers(form_b)) return form_a == Form::maybe_ref ? b : a;
      if (refers(form_a)) return b;
      return form_a == form_b && form_a != Form::one ? a : fail(a, Clash::node_twice);
    }
    if (form_a == form_b) return a;
    if (form_a == Form::one || form_b == Form::one) return with_form(a, Form::one);
    return with_form(a, Form::maybe);  // below each(...) and outside: the outer one decides
  }
  constexpr CaptureId fail(CaptureId id, Clash what) {
    clash = what;
    clashing = id;
    return id;
  }
};

template <class... List>
struct Concatenated;
template <>
struct Concatenated<> {
  using type = Captures<>;
};
template <CaptureId... A>
struct Concatenated<Captures<A...>> {
  using type = Captures<A...>;
};
template <CaptureId... A, CaptureId... B, class... More>
struct Concatenated<Captures<A...>, Captures<B...>, More...> : Concatenated<Captures<A..., B...>, More...> {};

template <auto M, class Positions>
struct Picked;
template <auto M, std::size_t... I>
struct Picked<M, std::index_sequence<I...>> {
  using type = Captures<M.ids[I]...>;
};

template <class List>
consteval auto merge() {
  Merged<List::size> merged;
  for (const CaptureId id : List::ids) merged.add(id);
  return merged;
}

/// The error names its template argument: the capture.
template <Clash What, class Name>
struct ClashOf {
  static_assert(What != Clash::node_twice,
                "graft: one node<> capture is bound to two operators of the pattern; give each its own name");
  static_assert(What != Clash::two_kinds,
                "graft: one capture name is used for two different kinds of capture in the same pattern");
};
template <class Name>
struct ClashOf<Clash::none, Name> {};

template <auto M>
struct Unique : ClashOf<M.clash, Spelling<M.clashing>> {
  using type = typename Picked<M, std::make_index_sequence<M.size>>::type;
};

template <class List>
struct Checked : Unique<merge<List>()> {};

/// The captures of patterns that are all matched.
template <class... List>
using Join = typename Checked<typename Concatenated<List...>::type>::type;

/// The capture within a part that may be absent.
consteval CaptureId weakened(CaptureId id) {
  const Kind kind = kind_of(id);
  if (form_of(id) == Form::ref) return with_form(id, Form::maybe_ref);
  const bool has_absent = is_value(kind) || is_attribute(kind) || kind == Kind::node;
  return has_absent && form_of(id) == Form::one ? with_form(id, Form::maybe) : id;
}

/// The capture within each(...).
consteval CaptureId listed(CaptureId id) {
  const Kind kind = kind_of(id);
  const bool has_list = is_value(kind) || is_attribute(kind) || kind == Kind::node;
  return has_list && !refers(form_of(id)) ? with_form(id, Form::list) : id;
}

template <class List>
struct Weakened;
template <CaptureId... A>
struct Weakened<Captures<A...>> {
  using type = Captures<weakened(A)...>;
};

template <class List>
struct Listed;
template <CaptureId... A>
struct Listed<Captures<A...>> {
  using type = Captures<listed(A)...>;
};

/// The captures of two alternative patterns: those of both are always bound.
template <class A, class B>
consteval auto merge_alternatives() {
  Merged<A::size + B::size> merged;
  for (const CaptureId id : A::ids) {
    const std::size_t i = B::find(id);
    if (i == B::size) {
      merged.add(weakened(id));
    } else {
      const CaptureId other = B::ids[i];
      if (kind_of(id) != kind_of(other)) {
        merged.clash = Clash::two_kinds;
        merged.clashing = id;
      }
      if (form_of(id) == form_of(other) || refers(form_of(other))) {
        merged.add(id);
      } else {
        merged.add(refers(form_of(id)) ? other : with_form(id, Form::maybe));
      }
    }
  }
  for (const CaptureId id : B::ids) {
    if (!A::has(id)) merged.add(weakened(id));
  }
  return merged;
}

template <class A, class B>
struct OneOf : Unique<merge_alternatives<A, B>()> {};

}  // namespace detail
}  // namespace graft::inline v1
