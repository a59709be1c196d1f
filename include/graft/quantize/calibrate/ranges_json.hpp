#pragma once
#include <string>
#include <string_view>

#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/target/json_limits.hpp>

namespace graft::inline v1 {

/// Writes {"ranges": {"name": {"min": -1.5, "max": 6}, ...}}, one line for each tensor, sorted by name; null for an
/// empty range. Throws Error with the tensor's name for a range that is not finite, which JSON cannot hold.
std::string to_json(const Ranges& ranges);

/// Parses such a text. Throws Error naming the missing or wrong field: a text that is not JSON, an end that is not a
/// finite number, a minimum above its maximum, or a member that is not a range. Throws Error for statistics instead of
/// ranges, and for a text beyond the limits.
Ranges ranges_from_json(std::string_view text, const JsonLimits& limits = {});

/// The file is replaced as a whole or not at all. Throws Error naming the file if it cannot be written, and as
/// to_json() does.
void save_ranges(const Ranges& ranges, const std::string& path);

/// Throws Error naming the file, and the wrong field if there is one.
Ranges load_ranges(const std::string& path, const JsonLimits& limits = {});

}  // namespace graft::inline v1
