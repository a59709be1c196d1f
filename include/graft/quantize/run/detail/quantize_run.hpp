#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/tune/nearest_ranges.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// One call of quantize().
class QuantizeRun {
 public:
  /// Without samples ranges are known.
  QuantizeRun(Model& model, std::optional<SampleSource> samples, const Target& target, const QuantizeOptions& options,
              Context& context);

  QuantizeResult run();

 private:
  /// A model of which statistics are known: the plain one is the model itself, prepared; in the other weights are
  /// rescaled.
  struct PreparedModel {
    Model* model;
    Context* context;
    std::string rescaled{};                        // in which ways; empty of the plain one
    std::vector<Statistics<Histogram>> without{};  // one fold of the samples, for each; none if there are no folds
  };
  /// A base, an observer by its place among the choices, whether biases are corrected, the form of weights, and the
  /// products that are dynamic or weight-only; or dynamic quantization of all products and nothing else.
  struct Candidate {
    const PreparedModel* base;
    std::size_t choice;
    bool corrects;
    WeightForms forms;
    bool is_dynamic = false;
    ProductForms products{};
  };
  /// The best of the ways that were tried so far.
  struct Search {
    const CandidateTrials& trials;
    Candidate best;
    CandidateResult reached{};
    std::size_t best_trial = 0, total = 0;
    std::vector<CandidateResult> results{};  // of each trial
  };

  /// Runs a pass on the model. False if the run is cancelled.
  bool step(const Pass& pass);
  void warn_of_names();
  void take_known_ranges();
  /// Whether several ways to quantize are tried.
  bool tries() const;

  /// Gathers missing statistics: ranges or histograms, and means and extremes of channels where these help.
  /// Statistics of folds are those of `known`. False if the run is cancelled.
  bool observe(PreparedModel& base, const PreparedModel* known = nullptr);
  void report_unreadable(Report report);
  /// Zeroes weights around dead channels, which reduce the accuracy of the others; or warns of them, where that is not
  /// asked for.
  void drop_dead_channels(const Ranges& ranges);
  /// The ranges that an observer makes of the statistics.
  Ranges ranges_of_choice(const Context& context, std::size_t choice) const;
  /// The same without the samples of a fold.
  Ranges ranges_without(const PreparedModel& base, std::size_t choice, std::size_t fold) const;

  Ranges with_overrides(Ranges ranges) const;
  /// Takes the best way to quantize: leaves the model and the ranges that it starts from.
  bool find_ranges();
  Candidate best_way(const PreparedModel& plain, const PreparedModel* rescaled);
  /// Takes the way if it is better than the best one so far. Ways without other products come in the order of how
  /// simple they are, and are better if they are nearer to float by more than the noise.
  void attempt(const Candidate& way, Search& search);
  /// The best way with the products dynamic or weight-only that take least time so; where it is not near to float, with
  /// those that are rounded much less so, and with every product in one of these forms.
  void attempt_products(Search& search);
  std::string name_of(const Candidate& way) const;
  /// Whether products may have other forms than static, and whether it is tried which.
  bool allows_forms() const;
  bool tries_forms() const;
  /// Provides the products that are dynamic or weight-only in this way.
  void know_products(const Candidate& way, Context& context) const;

  /// What moves factors from one weight to another, or to the activation between them.
  Pass rescaling() const;
  Pass joining(const WeightForms& forms, const Pass& next) const;
  Pass quantizing(bool corrects, const WeightForms& forms) const;
  Pass dynamically_quantizing() const;
  void finish();
  /// Widens and narrows ranges where that brings the outputs nearer. False if the run is cancelled.
  bool refine();
  /// Finds what the goal takes in float, or else what a poor way takes. False if the run is cancelled.
  bool keep_in_float(const Pass& passes);
  /// For the layers that keep_fewest_in_float() found where no goal was set.
  void give_poor_as_reason();
  void write_format();

  Model& model_;
  std::optional<SampleSource> samples_;
  std::optional<SampleFolds> folds_{};
  std::optional<CandidateTrials> trials_{};  // until the ranges are final
  const Target& target_;
  const QuantizeOptions& options_;
  Context& context_;
  std::vector<RangeChoice> choices_;  // the observers, and min-max to fall back to; none if there are no histograms
  WeightForms forms_;                 // in the way that is taken, as is the next
  bool corrects_;
  bool is_dynamic_ = false;
  std::vector<OperatorOutcome> products_{};
  QuantizeResult result_;
  OutputCheck check_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/best_way.ipp>
#include <graft/quantize/run/detail/observing.ipp>
#include <graft/quantize/run/detail/quantize_run.ipp>
#include <graft/quantize/run/detail/quantizing.ipp>
#endif
