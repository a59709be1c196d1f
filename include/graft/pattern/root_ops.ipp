#pragma once
#include <graft/config.hpp>
#include <graft/pattern/root_ops.hpp>

#include <cstddef>
#include <string_view>

namespace graft::inline v1 {

GRAFT_INLINE RootOps root_ops(const RulePattern& pattern) {
  RootOps ops;
  const auto add = [&ops](std::string_view names) {
    ops.any = ops.any || names.empty();
    while (!names.empty()) {
      const std::size_t bar = names.find('|');
      ops.names.push_back(OpName::parse(names.substr(0, bar)));
      names = bar == std::string_view::npos ? std::string_view() : names.substr(bar + 1);
    }
  };
  std::vector<std::size_t> rows{0};
  while (!rows.empty()) {
    const std::size_t at = rows.back();
    rows.pop_back();
    const PatternNode& row = pattern.nodes[at];
    switch (row.step) {
      case Step::op: add(row.op); break;
      case Step::chain:
        add(row.op);
        rows.push_back(at + 1);
        break;
      case Step::either:
        rows.push_back(pattern.nodes[at + 1].end + std::size_t{1});
        rows.push_back(at + 1);
        break;
      default: ops.any = true;
    }
  }
  return ops;
}

}  // namespace graft::inline v1
