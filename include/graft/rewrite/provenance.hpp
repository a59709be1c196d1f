#pragma once
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The rules that made a node, in order, joined by ", "; "" if its metadata_props have no record.
std::string rules_of(const Node& node);
/// The names of the nodes that the last of these rules replaced, joined by ", ".
std::string origins_of(const Node& node);

namespace detail {

/// Records the rule that made a node, and its origins. A rebuilt node keeps its earlier records.
void write_provenance(Node& node, std::string_view rule, std::string_view origins);

}  // namespace detail
}  // namespace graft::inline v1
