#pragma once
#include <graft/testing/isomorphic.hpp>

#include <cstddef>
#include <string>

#include <graft/config.hpp>
#include <graft/testing/detail/leftovers.hpp>
#include <graft/testing/detail/pairing.hpp>

namespace graft::inline v1 {

GRAFT_INLINE TestResult isomorphic(const Graph& a, const Graph& b, const GraphNames& names) {
  detail::Pairing pairing(names.first, names.second);
  pairing.pair(a, b);
  if (!pairing.difference()) detail::Leftovers(pairing).pair();
  return pairing.difference() ? TestResult::fail(*pairing.difference()) : TestResult::pass();
}

GRAFT_INLINE TestResult isomorphic(const Model& a, const Model& b, const GraphNames& names) {
  TestResult same = isomorphic(a.graph(), b.graph(), names);
  if (!same) return same;
  detail::Pairing functions(names.first, names.second);
  if (a.functions().size() != b.functions().size()) {
    functions.differ("the number of functions", std::to_string(a.functions().size()),
                     std::to_string(b.functions().size()));
    return TestResult::fail(*functions.difference());
  }
  for (std::size_t i = 0; i < a.functions().size() && same; ++i)
    same = isomorphic(*a.functions()[i], *b.functions()[i], names);
  return same;
}

}  // namespace graft::inline v1
