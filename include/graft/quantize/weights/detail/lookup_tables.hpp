#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/target/kept_in_float.hpp>

namespace graft::inline v1::detail {

/// Float32 tensors with this many elements or more that a Gather reads, constant or not, in the order of their readers.
std::vector<Value*> lookup_tables(Graph& graph, std::int64_t least_elements);

/// The reason why a reader of a table keeps it in float; empty if it does not: a Gather along axis 0.
std::string why_reader_in_float(const Use& use, const KeptInFloat& kept);

/// The reason why such a table cannot become integers; empty if it can: all its readers must be Gather along axis 0.
std::string why_table_in_float(const Value& table, const KeptInFloat& kept);

}  // namespace graft::inline v1::detail
