#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// A replacement of several outputs: outputs(p, none, q) replaces output 0 and 2 of the root; output 1 must be
/// unused. With several roots, the k-th replaces the k-th root.
template <pattern... P>
constexpr auto outputs(const P&... results) {
  using C = detail::Join<typename P::captures..., Captures<detail::only_built>>;
  detail::Builder<Pattern<(1 + ... + P::node_count), (0 + ... + P::attr_count), (0 + ... + P::word_count), C>> b;
  PatternNode row;
  row.step = Step::outputs;
  row.operand_count = static_cast<std::uint16_t>(sizeof...(P));
  b.add(row);
  std::size_t k = 0;
  (b.append(results, 0, k++), ...);
  return b.finish();
}

}  // namespace graft::inline v1
