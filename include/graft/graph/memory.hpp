#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

/// What the machine has. Systems promise more, and end the program that takes it.
std::size_t physical_memory();

/// byte_count() of a tensor that is to be allocated. Throws Error for more than the machine's memory.
std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/memory.ipp>
#endif
