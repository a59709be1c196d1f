#pragma once
#include <filesystem>
#include <string>

#include <graft/graph/model.hpp>

/// Load options that keep new weights of a model with external data in the folder of the output instead of in memory.
/// Without an output, as in a dry run, they are kept in memory.
inline graft::LoadOptions scratch_beside(const std::filesystem::path& output) {
  graft::LoadOptions options;
  if (!output.empty()) options.scratch_folder = output.has_parent_path() ? output.parent_path().string() : ".";
  return options;
}
