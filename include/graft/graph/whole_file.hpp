#pragma once
#include <string>

namespace graft::inline v1 {

/// The bytes of a file. Throws Error naming it if it cannot be read.
std::string read_whole(const std::string& path);

/// The file appears whole or not at all. Throws Error naming it if it cannot be written.
void write_whole(const std::string& path, const std::string& bytes);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/whole_file.ipp>
#endif
