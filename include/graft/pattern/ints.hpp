#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// Integers, to be compared with an attribute; or a new constant, i64 of rank 1.
template <std::size_t N>
struct IntList : Pattern<1, 1, N, Captures<detail::only_built>> {};

template <std::integral... T>
constexpr auto ints(T... values) {
  IntList<sizeof...(T)> p;
  p.nodes[0].step = Step::ints;
  p.nodes[0].attr_count = 1;
  p.attrs[0].mode = AttrMode::assign;
  p.attrs[0].type = Kind::ints;
  p.attrs[0].word_count = sizeof...(T);
  p.words = {static_cast<std::int64_t>(values)...};
  return p;
}

}  // namespace graft::inline v1
