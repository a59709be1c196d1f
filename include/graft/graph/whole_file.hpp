#pragma once
#include <cstddef>
#include <limits>
#include <string>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// 2 GiB, the limit of protobuf.
inline constexpr std::size_t file_limit = std::numeric_limits<int>::max();

/// Reads a file. Throws Error naming it if it cannot be read, or has more than max_bytes.
std::string read_whole(const std::string& path, std::size_t max_bytes = file_limit);

/// Writes a file, which appears whole or not at all. Throws Error naming it if it cannot be written.
void write_whole(const std::string& path, const std::string& bytes);

}  // namespace graft::inline v1
