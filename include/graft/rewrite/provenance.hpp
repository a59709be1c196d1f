#pragma once
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The rules that made a node, the last one last, joined by ", "; "" if its metadata_props do not say.
std::string rules_of(const Node& node);
/// The names of the nodes that the last of them replaced, joined by ", ".
std::string origins_of(const Node& node);

namespace detail {

/// Records which rule made a node, and of what. A node that is built again keeps its earlier records.
void write_provenance(Node& node, std::string_view rule, std::string_view origins);

}  // namespace detail
}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/provenance.ipp>
#endif
