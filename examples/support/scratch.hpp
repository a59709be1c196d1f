#pragma once
#include <filesystem>
#include <string>

#include <graft/graph/model.hpp>

/// Options with which new weights of a model with external data wait where its output goes, not in memory. Without an
/// output, as in a dry run, memory holds them.
inline graft::LoadOptions scratch_beside(const std::filesystem::path& output) {
  graft::LoadOptions options;
  if (!output.empty()) options.scratch_folder = output.has_parent_path() ? output.parent_path().string() : ".";
  return options;
}
