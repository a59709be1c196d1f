#pragma once
#include <string_view>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
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
/// operators have their order. The message names the first difference. Takes linear time. Throws Error for malformed
/// tensors.
TestResult isomorphic(const Graph& a, const Graph& b, const GraphNames& names = {});

/// Both main graphs, and the local functions in their order.
TestResult isomorphic(const Model& a, const Model& b, const GraphNames& names = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/isomorphic.ipp>
#endif
