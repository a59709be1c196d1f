#pragma once
#include <optional>
#include <string>
#include <vector>

#include <graft/testing/fuzz.hpp>

/// A pass, or rules, of graft's own that keep values, and how it is fuzzed.
struct Subject {
  std::string name;  // "simplify/gelu", "lower/four_d_slice"
  std::vector<graft::RuleView> rules{};
  std::optional<graft::Pass> pass{};
  graft::FuzzOptions options{};

  graft::FuzzReport fuzz(std::uint64_t seed, std::size_t count, double seconds) const;
};

/// Every rule of the rooms by itself, all shrinking rules together, and the passes.
std::vector<Subject> subjects();
