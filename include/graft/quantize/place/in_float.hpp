#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace graft::inline v1 {

/// The nodes that inject_qdq() left in float, of those that its placement is about, and why: the fact behind its notes.
struct InFloat {
  static constexpr std::string_view fact_name = "in_float", fact_maker = "inject_qdq";
  static constexpr bool is_decision = true;

  /// By the display_name() of the node.
  std::map<std::string, std::string, std::less<>> reasons{};

  /// Nothing happens to a node that is not among them.
  void rename_node(std::string_view from, std::string_view to);
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/place/in_float.ipp>
#endif
