#pragma once
#include <cstdint>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/memory.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// Zeroed working memory of a kernel, which may be much larger than its inputs and outputs. Throws Error for more than
/// AllocationLimit::current().
template <class T>
std::vector<T> scratch(std::int64_t rows, std::int64_t columns) {
  allocated_bytes(dtype_of<T>, Dims{rows, columns});
  return std::vector<T>(to_size(rows * columns));
}

}  // namespace graft::inline v1::standard_kernels::detail
