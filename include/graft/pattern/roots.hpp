#pragma once
#include <cstddef>

#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A pattern of several roots. It cannot be an operand.
template <std::size_t N, std::size_t A, std::size_t W, class C, std::size_t Count>
struct Roots : Pattern<N, A, W, C> {
  static constexpr std::size_t root_count = Count;
};

namespace detail {

/// Whether a further root can be reached from earlier bindings.
template <class Before, class P>
inline constexpr bool is_anchored = [] {
  for (const CaptureId id : P::captures::ids) {
    const bool in_reach = is_value(kind_of(id)) || (kind_of(id) == Kind::node && refers(form_of(id)));
    if (in_reach && Before::has(id)) return true;
  }
  return false;
}();

}  // namespace detail

/// Several operators that share captured values: roots(op<"MatMul">(x, w1), op<"MatMul">(x, w2)). Matching starts from
/// the first, and finds the others among the readers of captured values. All are different nodes.
template <pattern First, pattern... More>
constexpr auto roots(const First& first, const More&... more) {
  static_assert(sizeof...(More) > 0, "graft: roots(...) takes two patterns or more");
  static_assert((detail::is_anchored<typename First::captures, More> && ...),
                "graft: every root of a pattern must read a value or a node's output that the first one captures");
  using C = detail::Join<typename First::captures, typename More::captures..., Captures<detail::only_looked_for>>;
  detail::Builder<Roots<(First::node_count + ... + (More::node_count + 1)),
                        (First::attr_count + ... + More::attr_count),
                        (First::word_count + ... + More::word_count), C, 1 + sizeof...(More)>>
      b;
  b.append(first, 0);
  b.result.nodes[0].parent = -1;
  const auto add = [&b](const auto& p) {
    PatternNode row;
    row.step = Step::root;
    const std::size_t at = b.add(row);
    b.result.nodes[b.append(p, at)].same_value = true;
    b.finish(at);
  };
  (add(more), ...);
  return b.result;
}

}  // namespace graft::inline v1
