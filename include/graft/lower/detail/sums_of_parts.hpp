#pragma once
#include <cstddef>
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// ReduceSum over the parts of the last axis that a Reshape makes an axis of: slices of it instead. clips: behind a
/// Clip.
Pass sums_of_parts(std::string name, std::size_t most, bool clips);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/lower/detail/sums_of_parts.ipp>
#endif
