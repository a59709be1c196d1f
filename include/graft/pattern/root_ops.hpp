#pragma once
#include <vector>

#include <graft/graph/op_id.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

/// The operators at which a pattern can match: the index of drivers.
struct RootOps {
  bool any = false;
  std::vector<OpName> names;  // views of the pattern's own
};

RootOps root_ops(const RulePattern& pattern);

}  // namespace graft::inline v1
