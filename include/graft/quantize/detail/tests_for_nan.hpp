#pragma once
#include <algorithm>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether a node asks which elements are NaN or infinite, of which integers hold neither.
inline bool tests_for_nan(const Node& node) { return node.is("IsNaN") || node.is("IsInf"); }

/// Whether such a node reads the value: the model expects these elements there, and does without them.
inline bool is_tested_for_nan(const Value& value) {
  const auto users = value.users();
  return std::any_of(users.begin(), users.end(), [](const Node& user) { return tests_for_nan(user); });
}

}  // namespace graft::inline v1::detail
