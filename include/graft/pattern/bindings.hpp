#pragma once
#include <cstddef>
#include <span>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/detail/matcher_class.hpp>
#include <graft/pattern/read.hpp>
#include <graft/pattern/slot.hpp>

namespace graft::inline v1 {

namespace detail {

/// The error names the template argument: the capture.
template <class Name>
struct NotInMatch {
  static_assert(sizeof(Name) == 0, "graft: m[...] names a capture that the pattern does not bind");
};

}  // namespace detail

/// The bindings of a pattern, by capture: m[x] is a Value&, a Node& or an attribute's value. It is Value*, Node* or
/// optional if the capture may be absent, and a span for a list. A view of the match.
template <class C>
class Bindings {
 public:
  explicit Bindings(const detail::MatchState& state) : state_(&state) {}

  template <class X>
  decltype(auto) operator[](const X&) const {
    constexpr std::size_t slot = C::find(X::id);
    if constexpr (slot == C::size) {
      static_cast<void>(sizeof(detail::NotInMatch<detail::Spelling<X::id>>));
    } else {
      constexpr CaptureId id = C::ids[slot];
      static_assert(kind_of(id) == kind_of(X::id),
                    "graft: m[...] names a capture that the pattern binds as another kind");
      if constexpr (kind_of(id) == Kind::arg) {
        return *static_cast<const typename X::type*>(state_->slots[slot].data);
      } else {
        return detail::read<kind_of(id), form_of(id)>(state_->slots[slot]);
      }
    }
  }

  /// The node at which the pattern matched.
  Node& root() const { return *state_->roots.front(); }
  /// The roots of roots(...), in its order.
  std::span<Node* const> roots() const { return state_->roots; }
  /// Every operator of the pattern, consumers first.
  std::span<const MatchedNode> nodes() const { return state_->nodes; }

 private:
  const detail::MatchState* state_;
};

}  // namespace graft::inline v1
