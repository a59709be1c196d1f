#pragma once
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>

#include "support/calibration.hpp"

// The values of options and their meanings.

inline const std::vector<std::pair<std::string, graft::Placement>> placements{
    {"min-cost", graft::Placement::min_cost},
    {"all-supported", graft::Placement::all_supported},
    {"conv-only", graft::Placement::conv_only},
    {"fusion-aware", graft::Placement::fusion_aware},
    {"naive", graft::Placement::naive}};

/// Accepts the names that two placements had in earlier versions.
inline std::string present_placement_name(const std::string& name) {
  return name == "whole-graph" ? "min-cost" : name == "everything" ? "all-supported" : name;
}

/// Expects a name that is in `placements`.
inline graft::Placement placement_named(const std::string& name) {
  const auto has_it = [&](const auto& entry) { return entry.first == name; };
  return std::find_if(placements.begin(), placements.end(), has_it)->second;
}

inline const std::string& name_of(graft::Placement placement) {
  const auto has_it = [&](const auto& entry) { return entry.second == placement; };
  return std::find_if(placements.begin(), placements.end(), has_it)->first;
}

inline graft::NamePattern name_pattern(const std::string& option, const std::string& text) {
  try {
    return graft::NamePattern(text);
  } catch (const graft::Error& error) {
    throw CLI::ValidationError(option, error.message());
  }
}

inline const std::map<std::string, graft::DType>& activation_dtypes() {
  using graft::DType;
  static const std::map<std::string, DType> dtypes{{"u8", DType::u8},
                                                   {"i8", DType::i8},
                                                   {"u16", DType::u16},
                                                   {"i16", DType::i16},
                                                   {"f8e4m3fn", DType::f8e4m3fn}};
  return dtypes;
}

/// Parses NAME=DTYPE.
inline graft::ActivationOverride activation_override(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto dtype = activation_dtypes().find(equals == std::string::npos ? "" : text.substr(equals + 1));
  if (dtype == activation_dtypes().end())
    throw CLI::ValidationError("--activations-of", "expected NAME=u8, i8, u16, i16 or f8e4m3fn, found " + text);
  return {name_pattern("--activations-of", text.substr(0, equals)), dtype->second};
}

/// Parses NAME=MIN,MAX.
inline graft::RangeOverride range_override(const std::string& text) {
  const auto equals = text.rfind('='), comma = text.rfind(',');
  graft::Range range;
  if (equals == std::string::npos || comma == std::string::npos || comma < equals ||
      !CLI::detail::lexical_cast(text.substr(equals + 1, comma - equals - 1), range.min) ||
      !CLI::detail::lexical_cast(text.substr(comma + 1), range.max) || !std::isfinite(range.min) ||
      !std::isfinite(range.max))
    throw CLI::ValidationError("--set-range", "expected NAME=MIN,MAX, found " + text);
  if (range.empty()) throw CLI::ValidationError("--set-range", "MIN is above MAX in " + text);
  return {name_pattern("--set-range", text.substr(0, equals)), range};
}

/// Parses NAME=FORM. FORM is a list of per-tensor or per-channel, a number of bits, and clip, separated by commas.
inline graft::WeightFormOverride weight_override(const std::string& text, graft::WeightForm form) {
  const auto equals = text.rfind('=');
  const auto wrong = [&] { return CLI::ValidationError("--weights-of", "expected NAME=FORM, found " + text); };
  if (equals == std::string::npos) throw wrong();
  for (const std::string& word : CLI::detail::split(text.substr(equals + 1), ',')) {
    if (word == "per-tensor") form.granularity = graft::Granularity::per_tensor;
    else if (word == "per-channel") form.granularity = graft::Granularity::per_channel;
    else if (word == "clip") form.clipping = graft::Clipping::squared_error;
    else if (!CLI::detail::lexical_cast(word, form.bits.emplace()) || *form.bits < 2 || *form.bits > 8) throw wrong();
  }
  return {name_pattern("--weights-of", text.substr(0, equals)), form};
}

/// Min-max ranges of histograms, which the HTML page shows.
struct MinMaxOfHistograms {
  using Statistic = graft::Histogram;
  static std::string name() { return graft::MinMax::name(); }
  static Statistic start() { return {}; }
  static graft::Range range(const graft::Histogram& seen) { return seen.range(); }
};

/// The named observer.
inline graft::RangeMethod method_of(const ObserverChoice& choice) {
  return std::visit([](const auto& observer) { return graft::RangeMethod(observer); }, choice.observer());
}

inline const std::vector<std::pair<std::string, graft::qonnx::Format>> formats{
    {"qdq", graft::qonnx::Format::qdq},
    {"qcdq", graft::qonnx::Format::qcdq},
    {"qonnx", graft::qonnx::Format::qonnx},
    {"qop", graft::qonnx::Format::quantized_operators}};

/// Parses NAME=BITS.
inline graft::ActivationOverride bits_override(const std::string& text) {
  const auto equals = text.rfind('=');
  int bits = 0;
  if (equals == std::string::npos || !CLI::detail::lexical_cast(text.substr(equals + 1), bits) || bits < 2 || bits > 8)
    throw CLI::ValidationError("--bits", "expected NAME=BITS with 2 to 8 bits, found " + text);
  return {name_pattern("--bits", text.substr(0, equals)), std::nullopt, bits};
}
