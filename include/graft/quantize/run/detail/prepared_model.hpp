#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// How ranges are found in a call of static quantization.
struct RangePlan {
  /// Those whose ranges come from histograms; none if there are no histograms.
  std::vector<RangeMethod> methods{};
  std::optional<RangeMethod> only{};  ///< the one method, if it gathers another statistic
  const Ranges* known = nullptr;
  bool compares = false;  ///< several candidates are judged

  /// Throws Error if there are neither methods nor ranges, or one of several methods cannot read histograms.
  explicit RangePlan(const QuantizeOptions& options);

  /// Whether the last method is min-max, to fall back to.
  bool has_simplest() const { return has_simplest_; }
  /// "min-max"; "known ranges".
  std::string name_of(std::size_t method) const {
    if (known != nullptr) return "known ranges";
    return only ? only->name() : methods[method].name();
  }
  /// The number of methods with histograms that the options list.
  std::size_t given() const { return methods.size() - has_simplest_; }

 private:
  bool has_simplest_ = false;
};

/// A prepared model, and what samples have shown of it. The plain one is the model itself; in the other weights are
/// rescaled.
struct PreparedModel {
  Model* model;
  Context* context;
  std::string rescaled{};                        // in which ways; empty of the plain one
  std::vector<Statistics<Histogram>> without{};  // one fold of the samples, for each; none if there are no folds

  /// The ranges by a method. If there are no histograms, the Ranges of the facts.
  Ranges ranges(const RangePlan& plan, std::size_t method) const;
  /// The same without the samples of a fold.
  Ranges ranges_without(const RangePlan& plan, std::size_t method, std::size_t fold) const;
};

/// Gathers missing statistics on samples: ranges or histograms, and means and extremes of channels where these help.
/// Statistics of folds that are still right are those of `known`. False if the call is cancelled.
bool observe(QuantizeCall& call, const RangePlan& plan, const std::vector<SampleSource>& samples, PreparedModel& base,
             const PreparedModel* known = nullptr);

/// Zeroes weights around dead channels, which reduce the accuracy of the others; or warns of them, if the options do
/// not ask for it.
void drop_dead_channels(QuantizeCall& call, const Ranges& ranges);

}  // namespace graft::inline v1::detail
