#pragma once
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// Rules that together return to their starting point without shrinking the graph. Example: Gemm to MatMul and Add, and
/// MatMul and Add to Gemm.
struct Loop {
  std::vector<std::string_view> rules;
  bool certain = false;  // no condition, attribute or version can break the loop
};

std::string to_string(const Loop& loop);
inline std::ostream& operator<<(std::ostream& out, const Loop& loop) { return out << to_string(loop); }

/// Unifies the replacement of each rule with the pattern of each rule. Reports at most one loop of each certainty.
/// Rules whose replacement is a function are skipped.
std::vector<Loop> find_loops(std::span<const RuleView> rules);

}  // namespace graft::inline v1
