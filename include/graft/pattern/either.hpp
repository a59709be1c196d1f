#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// One of several patterns for the same value, tried in this order. Captures of only some of them become Value*, Node*,
/// optional<T>.
template <pattern P, pattern Q>
constexpr auto either(const P& p, const Q& q) {
  using One = typename detail::OneOf<typename P::captures, typename Q::captures>::type;
  using C = detail::Join<One, Captures<detail::only_looked_for>>;
  detail::Builder<Pattern<P::node_count + Q::node_count + 2, P::attr_count + Q::attr_count,
                          P::word_count + Q::word_count, C>>
      b;
  PatternNode row;
  row.step = Step::either;
  b.add(row);
  b.result.nodes[b.append(p, 0)].same_value = true;
  row.step = Step::otherwise;
  row.parent = 0;
  const std::size_t otherwise = b.add(row);
  b.result.nodes[otherwise].end = static_cast<std::uint16_t>(otherwise + 1);
  b.result.nodes[b.append(q, 0)].same_value = true;
  return b.finish();
}
template <pattern P, pattern Q, pattern... More>
  requires(sizeof...(More) > 0)
constexpr auto either(const P& p, const Q& q, const More&... more) {
  return either(p, either(q, more...));
}

}  // namespace graft::inline v1
