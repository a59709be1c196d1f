#pragma once
#include <graft/pattern/print.hpp>

#include <cstddef>
#include <string>

#include <graft/config.hpp>
#include <graft/pattern/detail/pattern_printer.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const RulePattern& pattern) {
  std::string text;
  for (std::size_t root = 0; root < pattern.nodes.size(); root = pattern.nodes[root].end) {
    text += (text.empty() ? "" : " and ") + detail::PatternPrinter(pattern).row(root);
  }
  return text;
}

}  // namespace graft::inline v1
