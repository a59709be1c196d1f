#pragma once
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Whether the first extent of a value is known not to be 1, be it a number or not: a Reshape may have made it of
/// several windows for each image.
bool has_many(const Value& value);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/first_extent.ipp>
#endif
