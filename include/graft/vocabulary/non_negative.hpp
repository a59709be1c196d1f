#pragma once
#include <cstddef>

#include <graft/graph/value.hpp>

namespace graft::inline v1::vocabulary {

/// Whether no element of a value is below 0 (NaN aside): it is unsigned, or one of the operators below makes it as
/// floats. Visits at most `depth` nodes upwards. Signed integers may overflow.
bool is_non_negative(const Value& value, std::size_t depth = 8);

}  // namespace graft::inline v1::vocabulary
