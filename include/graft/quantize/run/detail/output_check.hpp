#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::detail {

/// Compares a quantized model with the float model, on a few samples or on random inputs. A model is wrong if an output
/// holds NaN or infinity where the float model has none, or has a cosine below `least_cosine`.
///
/// The cosine is one between all values of an output, over all samples. Outputs of less than `fewest_values` and of
/// zeros have none: a small error may turn these to any angle. Of integers and truth values the floats that they are
/// computed from are compared, too. The quantized model runs once as it is, where any of its outputs may not hold NaN.
/// Then it is fed with what the float model selects by scores, if it does. On random inputs ranges of samples may be
/// too narrow, so that a low cosine is a warning.
class OutputCheck {
 public:
  static constexpr std::size_t max_samples = 8;
  static constexpr double least_cosine = 0.5;
  static constexpr std::size_t fewest_values = 16;

  /// Messages go to the context, warnings to the report too. Both outlive this. may_exceed_ranges: random inputs may
  /// lie outside the ranges of the quantized model, so that a low cosine on them is a warning.
  OutputCheck(ExecutorFactory make_executor, bool may_exceed_ranges, Context& context, Report& passes);
  /// A source whose first samples are kept as they pass, if it can be gone through only once.
  SampleSource watching(const SampleSource& samples);

  /// Runs the prepared model on some of the samples.
  void run_float(Graph& prepared, const SampleSource& samples);
  /// The same on random inputs, in these ranges.
  void run_float(Graph& prepared, const Ranges& ranges);
  /// Keeps a copy of the model, which is to be quantized next, to find the first wrong node with.
  void remember(Model& model);
  /// Throws Error if the quantized model is wrong, naming the first node in topological order whose output is. Returns
  /// how near it is on the samples, if there are any. Warns where it cannot be run, as operators have no kernel.
  std::optional<Fidelity> expect_sound(Graph& quantized);

 private:
  /// Whether the graph ran on all of the samples; else why not.
  std::optional<Error> run(const Graph& prepared, std::vector<Sample> samples);
  void skip(const Error& error, Graph& graph);
  /// Throws the error that says how this output is wrong: for NaN and infinity the sample that shows it is known.
  [[noreturn]] void refuse(const Graph& quantized, const std::string& output, const std::string& how,
                           std::optional<std::size_t> sample) const;

  ExecutorFactory make_executor_;
  bool may_exceed_ranges_;
  Context& context_;
  Report& passes_;
  std::shared_ptr<std::vector<Sample>> watched_;
  std::vector<Sample> samples_;
  std::optional<MeasuredOutputs> measured_;
  std::vector<std::string> names_;           // of what is measured, and of outputs that must only hold numbers
  std::vector<Feeds> selected_;              // by the prepared model, by sample
  std::vector<std::vector<Tensor>> floats_;  // what the prepared model gives, by sample
  std::optional<Model> before_;
  bool is_random_ = false;
};

}  // namespace graft::inline v1::detail
