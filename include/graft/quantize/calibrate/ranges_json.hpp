#pragma once
#include <string>
#include <string_view>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/json_limits.hpp>

namespace graft::inline v1 {

/// {"ranges": {"name": {"min": -1.5, "max": 6}, ...}}, a line for each tensor, sorted by name; null where it was empty.
/// Throws Error naming a tensor whose range is not finite, which JSON cannot hold.
std::string to_json(const Ranges& ranges);

/// Throws Error naming the field that is missing or wrong: text that is no JSON, ends that are no finite numbers, a
/// minimum above the maximum, a member that is no range; statistics instead of ranges; a text beyond the limits.
Ranges ranges_from_json(std::string_view text, const JsonLimits& limits = {});

/// The file appears whole or not at all. Throws Error naming it if it cannot be written, or as to_json() does.
void save_ranges(const Ranges& ranges, const std::string& path);

/// Throws Error naming the file, and the field where one is at fault.
Ranges load_ranges(const std::string& path, const JsonLimits& limits = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/ranges_json.ipp>
#endif
