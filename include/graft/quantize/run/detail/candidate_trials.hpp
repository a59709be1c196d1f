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
#include <graft/quantize/detail/silent.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/run/detail/judgement.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// A copy of a model that passes have changed, and its facts then.
struct TrialCopy {
  TrialCopy(Model& from, const Context& known, const Pass& passes) : model(from.clone()), context(silent(known)) {
    passes.run(model, context);
  }

  Model model;
  Context context;
};

/// Measures quantized copies on samples that are held in memory, against the outputs of the float graph.
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
  /// the cosine, or where it is behind the simpler candidate after a fold.
  Judgement measure(Model& model, const Context& known, const Quantizing& passes, const Target& target,
                    double least_cosine, const Judgement* simpler, bool in_folds = true) const;
  /// The same of one copy, which all samples judge.
  Judgement measure(Model& model, const Context& known, const Pass& passes, const Target& target,
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

/// The float outputs on the samples of these folds that judge, at most so many of each. If none of them can be read, on
/// those of the calibration, and folds.are_unseen becomes false. Reports samples that could not be read.
CandidateTrials judging_trials(QuantizeCall& call, SampleFolds& folds, std::size_t most);

}  // namespace graft::inline v1::detail
