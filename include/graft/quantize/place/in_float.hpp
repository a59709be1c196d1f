#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace graft::inline v1 {

/// The nodes that inject_qdq(), quantize_dynamic() and quantize_weights_blockwise() left in float, of those that they
/// are about, and why: the fact behind their notes.
struct InFloat {
  static constexpr std::string_view fact_name = "in_float", fact_maker = "inject_qdq";

  /// By the display_name() of the node.
  std::map<std::string, std::string, std::less<>> reasons{};

  /// Does nothing if the node is not listed.
  void rename_node(std::string_view from, std::string_view to);
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/place/in_float.ipp>
#endif
