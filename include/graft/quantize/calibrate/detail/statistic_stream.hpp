#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <graft/graph/onnx.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1::detail {

/// FNV-1a, 64 bits.
std::uint64_t checksum(std::string_view bytes);

/// A hash that can be added up. FNV hashes of similar names differ by similar amounts, which cancel in a sum;
/// SplitMix64's finalizer prevents that.
std::uint64_t summable_checksum(std::uint64_t index, std::string_view name);

inline constexpr std::string_view statistics_head = "graft statistics 2 ";

bool holds_statistics(std::string_view bytes);

using StatisticOutput = google::protobuf::io::CodedOutputStream;
using StatisticInput = google::protobuf::io::CodedInputStream;
void write_double(StatisticOutput& out, double value);

void write_text(StatisticOutput& out, const std::string& text);
void write_range(StatisticOutput& out, const Range& range);

/// These functions throw Error if the bytes end too early.
void check_read(bool read);
double read_double(StatisticInput& in);
std::uint64_t read_count(StatisticInput& in);
std::string read_text(StatisticInput& in);
/// Reads a range that is empty or finite; throws Error otherwise.
Range read_range(StatisticInput& in);

}  // namespace graft::inline v1::detail
