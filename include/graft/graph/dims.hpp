#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

/// The extents of a dense tensor, outermost first. Empty for a scalar.
using Dims = std::vector<std::int64_t>;

/// "[2,3]"
std::string to_string(std::span<const std::int64_t> dims);

/// "f32[2,3]"
inline std::string to_string(DType dtype, std::span<const std::int64_t> dims) {
  return std::string(to_string(dtype)) + to_string(dims);
}

/// The product of the dims; 1 for a scalar. Throws Error for a negative dim and for overflow, even if another dim is 0.
std::int64_t element_count(std::span<const std::int64_t> dims);

/// Bytes of a dense tensor. Elements of 2 and 4 bits are packed, and the last byte is padded. Throws Error for dims
/// that element_count() rejects, for a dtype without a width, and for sizes beyond the address space.
std::size_t byte_count(DType dtype, std::span<const std::int64_t> dims);

}  // namespace graft::inline v1
