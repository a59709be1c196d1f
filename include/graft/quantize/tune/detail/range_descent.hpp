#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>
#include <graft/quantize/tune/refine_ranges.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// The search of refine_ranges().
class RangeDescent {
 public:
  /// Runs the graph on the samples. Throws Error if there is none.
  RangeDescent(const Graph& graph, const Pass& quantize, const SampleSource& samples, const RangeRefinement& refinement,
               const ExecutorFactory& make_executor, const Context& context);

  /// Changes the ranges. What it returns is of no use if the context is cancelled meanwhile.
  RefinedRanges improve(Ranges& ranges);

 private:
  /// A quantized copy, and how far its outputs are from float on each sample.
  struct Copy {
    Copy(Model made, const MeasuredOutputs& measured, const ExecutorFactory& make_executor)
        : model(std::move(made)), executor(make_executor(model.graph())), outputs(measured.in_copy(model.graph())) {}
    Model model;
    AnyExecutor executor;
    Fetches outputs;
    std::vector<double> noise{};
  };

  /// Tries each tensor once. False if nothing has changed.
  bool sweep(Ranges& ranges);
  /// Keeps what is better of the tensor with that range and what it is now.
  bool attempt(const std::string& tensor, const Range& range, Ranges& ranges);
  /// How far the copy is from float on one sample, run from where it stands.
  double noise(Copy& copy, const Frontier& from, std::size_t sample) const;
  /// What the first so many of the samples that decide gain over the best: in sum, and the standard error of the sum.
  struct Gain {
    double sum = 0, error = 0, before = 0;
  };
  Gain gain(const std::vector<double>& noise, std::size_t count) const;
  double mean(const std::vector<double>& noise, bool of_unseen) const;
  bool may_go_on() const;
  /// The tensors that have a pair, in the order of the graph.
  std::vector<std::string> tensors(const Ranges& ranges) const;

  const RangeRefinement& refinement_;
  const ExecutorFactory& make_executor_;
  const Context& context_;
  Requantizer requantizer_;
  std::vector<std::vector<Tensor>> floats_;
  std::vector<std::size_t> deciding_, unseen_;  // places of samples
  std::optional<Frontier> start_, here_;
  std::unique_ptr<Copy> best_;
  std::optional<LiveValues> live_;  // of the best
  std::size_t trials_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/range_descent.ipp>
#endif
