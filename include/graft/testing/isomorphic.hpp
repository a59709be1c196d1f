#pragma once
#include <string_view>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

/// The names of two graphs in messages about their differences.
struct GraphNames {
  std::string_view first = "the first", second = "the second";
};

/// Whether two graphs are equal except for the names of values and nodes and the order of nodes. Compared are:
/// operators; their opsets; attributes (an attribute with its default equals an absent one); edges; types and order of
/// the inputs; order of the outputs; contents of initializers bit for bit (only the type for one written with _);
/// bodies. Not compared are: types of other values; doc strings; metadata. An unread output equals an omitted one. The
/// order of operands of commutative operators counts. The message names the first difference. Takes linear time. Throws
/// Error for malformed tensors.
TestResult isomorphic(const Graph& a, const Graph& b, const GraphNames& names = {});

/// Compares the main graphs, and the local functions in order.
TestResult isomorphic(const Model& a, const Model& b, const GraphNames& names = {});

}  // namespace graft::inline v1
