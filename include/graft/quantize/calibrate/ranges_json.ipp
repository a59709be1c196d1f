#pragma once
#include <graft/quantize/calibrate/ranges_json.hpp>

#include <cmath>
#include <limits>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/graph/whole_file.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/detail/statistic_stream.hpp>
#include <graft/quantize/detail/json.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_json(const Ranges& ranges) {
  std::string text;
  for (const auto& [name, range] : ranges) {
    text += (text.empty() ? "\n    " : ",\n    ") + detail::json_string(name) + ": ";
    if (range.empty()) {
      text += "null";
      continue;
    }
    if (!std::isfinite(range.min) || !std::isfinite(range.max)) throw Error("the range is not finite").field(name);
    text += "{\"min\": " + shortest_decimal(range.min) + ", \"max\": " + shortest_decimal(range.max) + "}";
  }
  return "{\n  \"ranges\": {" + text + "\n  }\n}\n";
}

namespace detail {

inline float range_end(const google::protobuf::Struct& range, const std::string& name, const std::string& end) {
  const auto place = range.fields().find(end);
  const std::string field = "ranges." + name + "." + end;
  if (place == range.fields().end()) throw Error("is missing").field(field);
  if (!place->second.has_number_value()) throw Error("is not a number").field(field);
  const double value = place->second.number_value();
  if (!(std::abs(value) <= std::numeric_limits<float>::max())) throw Error("is not a finite float32").field(field);
  return static_cast<float>(value);
}

inline Ranges parse_ranges(std::string_view text, const JsonLimits& limits) {
  if (holds_statistics(text))
    throw Error("holds statistics, not ranges: 'graft-calibrate ranges' makes ranges of them, as ranges_of() does");
  const google::protobuf::Struct object = parse_json(text, limits);
  const auto place = object.fields().find("ranges");
  if (place == object.fields().end()) throw Error("is missing").field("ranges");
  if (!place->second.has_struct_value()) throw Error("is not an object").field("ranges");
  Ranges ranges;
  for (const auto& [name, value] : place->second.struct_value().fields()) {
    if (value.has_null_value()) {
      ranges.set(name, {});
      continue;
    }
    if (!value.has_struct_value()) throw Error("is not an object with min and max").field("ranges." + name);
    const Range range{range_end(value.struct_value(), name, "min"), range_end(value.struct_value(), name, "max")};
    if (range.empty()) throw Error("its min is above its max").field("ranges." + name);
    ranges.set(name, range);
  }
  return ranges;
}

}  // namespace detail

GRAFT_INLINE Ranges ranges_from_json(std::string_view text, const JsonLimits& limits) {
  if constexpr (detail::has_json) return detail::parse_ranges(text, limits);
  throw Error(detail::no_json);
}

GRAFT_INLINE void save_ranges(const Ranges& ranges, const std::string& path) { write_whole(path, to_json(ranges)); }

GRAFT_INLINE Ranges load_ranges(const std::string& path, const JsonLimits& limits) {
  const std::string text = read_whole(path, limits.max_bytes);
  try {
    return ranges_from_json(text, limits);
  } catch (Error& error) {
    throw error.file(path);
  }
}

}  // namespace graft::inline v1
