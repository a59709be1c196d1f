#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// How a quantized copy does.
struct CandidateResult {
  Fidelity fidelity;
  bool is_quantized = false;     ///< activations are, or weights of products
  double time = 0;               ///< by the target's costs, in nanoseconds
  bool ended_early = false;      ///< before the last sample
  std::vector<double> errors{};  ///< 1 - cosine of each sample

  /// Whether it is better than another: it is nearer to float and not slower, or faster and as near,
  /// where a difference of a few hundredths is none. Where the other is poor, nearness alone counts; where nothing is
  /// quantized in the other, time, unless it is poor itself.
  bool is_better(const CandidateResult& other) const {
    if (!other.is_quantized) return time < 0.98 * other.time && !fidelity.is_poor();
    const double error = 1 - fidelity.cosine, error_of_other = 1 - other.fidelity.cosine;
    if (other.fidelity.is_poor()) return error < error_of_other;
    if (error < 0.9 * error_of_other) return time <= 1.05 * other.time;
    const bool is_as_near = error <= as_near * error_of_other && fidelity.agreement >= other.fidelity.agreement;
    return is_as_near && time < 0.98 * other.time;
  }
  /// With a smaller cosine than this nothing is better.
  double least_cosine() const { return !is_quantized ? -1 : 1 - as_near * (1 - fidelity.cosine); }

  /// Whether its errors are less than those of a simpler way, on the samples that both ran on, by more than the noise:
  /// on average by more than the standard error of the difference, and by a fiftieth.
  bool is_nearer(const CandidateResult& simpler) const;
  /// Whether they are greater by more than the noise.
  bool is_behind(const CandidateResult& simpler) const { return errors.size() > 1 && simpler.is_nearer(*this); }

 private:
  static constexpr double as_near = 1.05, least_lead = 0.02;
};

/// Measures ways to quantize on samples that are held in memory, against what the float graph makes of them.
class CandidateTrials {
 public:
  /// Runs the float graph on the first `most` samples of each fold that can be read.
  CandidateTrials(const Graph& floats, const std::vector<SampleSource>& folds, std::size_t most,
                  ExecutorFactory make_executor, const Context& context);

  std::size_t samples() const { return samples_.size(); }
  /// The samples, as long as this is there.
  SampleSource source() const { return borrowed(samples_); }
  /// Why samples could not be read, where the source skips these.
  const std::vector<std::string>& unreadable() const { return unreadable_; }

  /// What quantizes the copy that the samples of a fold judge.
  using Quantizing = std::function<Pass(std::size_t fold)>;
  /// How near copies of the model come to the float graph. Ends early where the samples to come could not bring it to
  /// the cosine, or where it is behind the simpler way after a fold.
  CandidateResult measure(Model& model, const Context& known, const Quantizing& passes, const Target& target,
                          double least_cosine, const CandidateResult* simpler, bool in_folds = true) const;
  /// The same of one copy, which all samples judge.
  CandidateResult measure(Model& model, const Context& known, const Pass& passes, const Target& target,
                          double least_cosine = -1) const;

 private:
  std::vector<Sample> samples_;
  std::vector<Feeds> selected_;     // by the float graph, of each sample
  std::vector<std::size_t> folds_;  // of the samples, in order
  std::vector<std::vector<Tensor>> floats_;
  std::vector<std::size_t> rows_;  // of each output, over all samples
  MeasuredOutputs measured_;
  std::vector<std::string> unreadable_;
  ExecutorFactory make_executor_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/candidate_trials.ipp>
#endif
