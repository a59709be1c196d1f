#pragma once
#include <cstddef>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The producer of a value, if it has this operator ("Conv", "domain::Op") and its first `inputs` inputs are present;
/// else nullptr.
Node* made_by(const Value& value, std::string_view op, std::size_t inputs = 1);

}  // namespace graft::inline v1
