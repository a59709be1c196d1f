#pragma once
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// Rules that, one after the other, come back to where they started without having made the graph smaller: Gemm to
/// MatMul and Add, and MatMul and Add to Gemm.
struct Loop {
  std::vector<std::string_view> rules;
  bool certain = false;  // no condition, attribute or version stands between them
};

std::string to_string(const Loop& loop);
inline std::ostream& operator<<(std::ostream& out, const Loop& loop) { return out << to_string(loop); }

/// Unifies what each rule builds with what each rule looks for. Reports one loop of each certainty. A rule whose
/// replacement is a function is left out.
std::vector<Loop> find_loops(std::span<const RuleView> rules);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/find_loops.ipp>
#endif
