#pragma once
#include <graft/quantize/run/check_options.hpp>

#include <algorithm>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/run/quantized_format.hpp>
#include <graft/quantize/target/weight_form.hpp>
#include <graft/quantize/tune/nearest_ranges.hpp>

namespace graft::inline v1 {

namespace detail {

/// Whether these are observers that somebody chose: neither the usual ones nor none.
inline bool are_chosen(const std::vector<RangeChoice>& observers) {
  return !observers.empty() &&
         !std::ranges::equal(observers, usual_range_choices(), {}, &RangeChoice::name, &RangeChoice::name);
}

}  // namespace detail

GRAFT_INLINE void check_options(const QuantizeOptions& options) {
  if (calibrates(options.mode)) return;
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) throw Error("is for static quantization alone").field(option);
  };
  refuse(options.placement != QuantizeOptions().placement, "placement");
  refuse(options.commute, "commute");
  refuse(detail::are_chosen(options.observers), "observers");
  refuse(!options.observer.is_default(), "observer");
  refuse(options.ranges.has_value(), "ranges");
  refuse(!options.range_overrides.empty(), "range_overrides");
  refuse(!options.activation_overrides.empty(), "activation_overrides");
  refuse(options.format != QuantizedFormat::qdq, "format");
  refuse(!options.bit_widths.empty(), "bit_widths");
  refuse(options.goal.has_value(), "goal");
  refuse(options.analyze, "analyze");
  refuse(options.exclude_ends, "exclude_ends");
  refuse(options.search_runs != 0 && options.search_runs != QuantizeOptions().search_runs, "search_runs");
  if (options.weights.has_overrides() || options.weights.common() != WeightForm(Granularity::per_channel))
    throw Error("is for static quantization; the options of the mode have the form of weights").field("weights");
}

}  // namespace graft::inline v1
