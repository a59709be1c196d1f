#pragma once
#include <string_view>
#include <utility>

#include <graft/graph/model.hpp>
#include <graft/testing/detail/leftovers.hpp>
#include <graft/testing/detail/pairing.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

/// What two graphs are called where they differ.
struct GraphNames {
  std::string_view first = "the first", second = "the second";
};

/// Whether two graphs are the same but for the names of values and nodes and the order of nodes: operators, opsets of
/// what they use, attributes (one of its default equals none), edges, types and order of the inputs, order of the
/// outputs, contents of initializers bit for bit (of one written with _, its type), bodies. Types of other values, doc
/// strings and metadata do not count; an output that nothing reads equals one that is omitted; operands of commutative
/// operators have their order. Else the first difference in words. Takes linear time. Throws Error for malformed
/// tensors.
inline TestResult isomorphic(const Graph& a, const Graph& b, const GraphNames& names = {}) {
  detail::Pairing pairing(names.first, names.second);
  pairing.pair(a, b);
  if (!pairing.difference()) detail::Leftovers(pairing).pair();
  return pairing.difference() ? TestResult::fail(*pairing.difference()) : TestResult::pass();
}

/// Both main graphs, and the local functions in their order.
inline TestResult isomorphic(const Model& a, const Model& b, const GraphNames& names = {}) {
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
