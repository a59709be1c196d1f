#pragma once
#include <cstddef>

#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// An operand that may be absent. Captures below become Value*, Node*, optional<T>. In a replacement: built if all its
/// captures were bound, else an absent input.
template <pattern P>
constexpr auto opt(const P& p) {
  PatternNode row;
  row.step = Step::opt;
  return detail::wrap<typename detail::Weakened<typename P::captures>::type>(row, p);
}

/// An attribute that may be absent and have no default. In a replacement: written if it was bound.
template <FixedString Name, Kind K, FixedString Capture, bool Param>
constexpr auto opt(const AttrCapture<Name, K, Capture, Param>&) {
  using Attr = AttrCapture<Name, K, Capture, Param>;
  auto spec = Attr::template spec<Captures<with_form(Attr::id, Form::maybe)>>(AttrMode::capture, Attr::id);
  spec.row.optional = true;
  return spec;
}

/// A condition that holds, too, if the operator has neither the attribute nor a default: opt(training_mode == 0).
template <std::size_t W, class C>
constexpr auto opt(const AttrSpec<W, C>& wanted) {
  AttrSpec<W, C> spec = wanted;
  spec.row.optional = true;
  return spec;
}

}  // namespace graft::inline v1
