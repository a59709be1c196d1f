#pragma once
#include <graft/quantize/tune/refine_ranges.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/graph_difference.hpp>
#include <graft/quantize/tune/detail/noise_share.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// The search of refine_ranges().
class RangeDescent {
 public:
  /// Runs the graph on the samples. Throws Error if there is none.
  RangeDescent(const Graph& graph, const Pass& quantize, const SampleSource& samples, const RangeRefinement& refinement,
               const ExecutorFactory& make_executor, const Context& context);

  /// Changes the ranges. Do not use the result if the context is cancelled meanwhile.
  RefinedRanges improve(Ranges& ranges);

 private:
  /// A quantized copy, and the difference of its outputs from float on each sample.
  struct Copy {
    Copy(Model made, const MeasuredOutputs& measured, const ExecutorFactory& make_executor)
        : model(std::move(made)), executor(make_executor(model.graph())), outputs(measured.in_copy(model.graph())) {}
    Model model;
    AnyExecutor executor;
    Fetches outputs;
    std::vector<double> noise{};
  };

  /// Tries each tensor once. Returns false if nothing changed.
  bool sweep(Ranges& ranges);
  /// Keeps the better of the present range of the tensor and this one.
  bool attempt(const std::string& tensor, const Range& range, Ranges& ranges);
  /// The difference of the copy from float on one sample, run from the sample's place.
  double noise(Copy& copy, const Frontier& from, std::size_t sample) const;
  /// The gain over the best on the first deciding samples: its sum, and the standard error of the sum.
  struct Gain {
    double sum = 0, error = 0, before = 0;
  };
  Gain gain(const std::vector<double>& noise, std::size_t count) const;
  double mean(const std::vector<double>& noise, bool of_unseen) const;
  bool may_go_on() const;
  /// The tensors with a pair, in the order of the graph.
  std::vector<std::string> tensors(const Ranges& ranges) const;

  const RangeRefinement& refinement_;
  const ExecutorFactory& make_executor_;
  const Context& context_;
  Requantizer requantizer_;
  std::vector<std::vector<Tensor>> floats_;
  std::vector<std::size_t> deciding_, unseen_;  // indices of samples
  std::optional<Frontier> start_, here_;
  std::unique_ptr<Copy> best_;
  std::optional<LiveValues> live_;  // those of the best copy
  std::size_t trials_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

GRAFT_INLINE RangeDescent::RangeDescent(const Graph& graph, const Pass& quantize, const SampleSource& samples,
                                        const RangeRefinement& refinement, const ExecutorFactory& make_executor,
                                        const Context& context)
    : refinement_(refinement),
      make_executor_(make_executor),
      context_(context),
      requantizer_(graph, quantize, context),
      begin_(std::chrono::steady_clock::now()) {
  AnyExecutor executor = make_executor_(graph);
  const Fetches outputs = requantizer_.measured().in_floats(graph);
  std::vector<Feeds> feeds;
  for_first(samples, refinement.samples, context, [&](std::size_t i, const Sample& sample) {
    floats_.push_back(executor.run(sample.feeds, outputs));
    feeds.push_back(by_name(sample.feeds, requantizer_.measured().take_selected(floats_.back())));
    (i % 3 == 2 ? unseen_ : deciding_).push_back(i);
    return true;
  });
  if (feeds.empty() && !context.is_cancelled()) throw Error("there is no sample to measure on");
  start_.emplace(std::move(feeds));
}

GRAFT_INLINE RefinedRanges RangeDescent::improve(Ranges& ranges) {
  RefinedRanges result;
  if (context_.is_cancelled()) return result;
  const Ranges before = ranges;
  best_ = std::make_unique<Copy>(requantizer_.with_ranges(ranges), requantizer_.measured(), make_executor_);
  for (std::size_t i = 0; i < start_->samples(); ++i) best_->noise.push_back(noise(*best_, *start_, i));
  result.tensors = tensors(ranges).size();
  result.noise_before = mean(best_->noise, false);
  result.unseen_before = mean(best_->noise, true);
  for (std::size_t i = 0; i < refinement_.sweeps && may_go_on(); ++i)
    if (!sweep(ranges)) break;
  result.noise_after = mean(best_->noise, false);
  result.unseen_after = mean(best_->noise, true);
  for (const auto& [name, range] : ranges)
    if (!(range == before.at(name))) result.changed.push_back(name);
  result.trials = trials_;
  return result;
}

GRAFT_INLINE bool RangeDescent::sweep(Ranges& ranges) {
  bool has_changed = false;
  here_ = start_;
  live_.emplace(best_->model.graph());
  const std::vector<std::string> names = tensors(ranges);
  for (std::size_t i = 0; i < names.size() && may_go_on(); ++i) {
    const Range range = ranges.at(names[i]);
    if (range.empty()) continue;
    for (const double step : {1 / refinement_.step, refinement_.step}) {
      bool is_better = false;
      for (double factor = step; factor >= refinement_.min_factor && factor <= refinement_.max_factor; factor *= step) {
        const auto scaled = [&](float end) { return static_cast<float>(end * factor); };
        if (!may_go_on() || !attempt(names[i], {scaled(range.min), scaled(range.max)}, ranges)) break;
        is_better = has_changed = true;
      }
      if (is_better) break;
    }
    context_.report_progress(Progress{"refine_ranges", i + 1, names.size()});
  }
  return has_changed;
}

GRAFT_INLINE bool RangeDescent::attempt(const std::string& tensor, const Range& range, Ranges& ranges) {
  Ranges changed = ranges;
  changed.set(tensor, range);
  auto made = std::make_unique<Copy>(requantizer_.with_ranges(changed), requantizer_.measured(), make_executor_);
  Copy& copy = *made;
  const GraphDifference difference(best_->model.graph(), copy.model.graph());
  if (!difference.in_constants_alone) return false;
  ++trials_;
  if (difference.first < here_->place()) here_ = start_;
  here_->advance(best_->model.graph(), *live_, best_->executor, difference.first);
  copy.noise = best_->noise;
  for (std::size_t i = 0; i < deciding_.size(); ++i) {
    copy.noise[deciding_[i]] = noise(copy, *here_, deciding_[i]);
    if (i % 4 != 3) continue;
    const Gain first = gain(copy.noise, i + 1);
    if (first.sum < -first.error) return false;
  }
  constexpr double min_share = 1e-3;  // of the noise; a smaller gain is not worth a change
  const Gain all = gain(copy.noise, deciding_.size());
  if (!(all.sum > std::max(min_share * all.before, all.error / 2))) return false;
  for (const std::size_t i : unseen_) copy.noise[i] = noise(copy, *here_, i);
  if (mean(copy.noise, true) > mean(best_->noise, true)) return false;
  ranges = std::move(changed);
  best_ = std::move(made);
  live_.emplace(best_->model.graph());
  return true;
}

GRAFT_INLINE double RangeDescent::noise(Copy& copy, const Frontier& from, std::size_t sample) const {
  const Graph& graph = copy.model.graph();
  return noise_share(floats_[sample], from.run(sample, graph, copy.executor, copy.outputs));
}

GRAFT_INLINE RangeDescent::Gain RangeDescent::gain(const std::vector<double>& noise, std::size_t count) const {
  Gain result;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double before = best_->noise[deciding_[i]], gained = before - noise[deciding_[i]];
    result.before += before;
    result.sum += gained;
    squares += gained * gained;
  }
  const auto n = static_cast<double>(count);
  if (count > 1) result.error = std::sqrt(std::max(0.0, squares - result.sum * result.sum / n) / (n - 1) * n);
  return result;
}

GRAFT_INLINE double RangeDescent::mean(const std::vector<double>& noise, bool of_unseen) const {
  const std::vector<std::size_t>& places = of_unseen ? unseen_ : deciding_;
  double sum = 0;
  for (const std::size_t i : places) sum += noise[i];
  return places.empty() ? 0 : sum / static_cast<double>(places.size());
}

GRAFT_INLINE bool RangeDescent::may_go_on() const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  return !context_.is_cancelled() && passed.count() < refinement_.max_seconds;
}

GRAFT_INLINE std::vector<std::string> RangeDescent::tensors(const Ranges& ranges) const {
  std::vector<std::string> names;
  std::unordered_set<const Value*> seen;
  for (const Node& node : best_->model.graph().nodes()) {
    const Node* const quantize = is_dequantize(node) ? paired_quantize(node) : nullptr;
    if (quantize == nullptr) continue;
    // If the tensor is an output of the graph, the dequantized tensor has its name.
    for (const Value* const value : {quantize->input(0), node.output(0)}) {
      const auto is_meant = [&](const NamePattern& pattern) { return pattern.matches(value->name()); };
      if (ranges.find(value->name()) == nullptr || !seen.insert(value).second) continue;
      if (std::ranges::none_of(refinement_.keep, is_meant)) names.emplace_back(value->name());
      break;
    }
  }
  return names;
}

}  // namespace detail

GRAFT_INLINE std::string to_string(const RefinedRanges& result) {
  const auto number = [](double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", value);
    return std::string(text.data());
  };
  return std::to_string(result.changed.size()) + " of " + std::to_string(result.tensors) +
         " ranges are changed: noise in the outputs " + number(result.noise_after) + ", before " +
         number(result.noise_before);
}

GRAFT_INLINE Pass refine_ranges(SampleSource samples, const Target& target, RangeRefinement refinement,
                                ExecutorFactory make_executor) {
  if (!(refinement.step > 1)) throw Error("the step by which ranges are scaled must be greater than 1");
  const Pass quantize = inject_qdq(target, refinement.placement);
  const auto run = [quantize, samples = std::move(samples), refinement, make_executor = std::move(make_executor)](
                       Graph& graph, Context& context) {
    Report report;
    Ranges ranges = *context.facts.find<Ranges>();
    detail::RangeDescent descent(graph, quantize, samples, refinement, make_executor, context);
    RefinedRanges found = descent.improve(ranges);
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    report.changes = found.changed.size();
    report.notes.push_back(to_string(found));
    context.facts.provide(std::move(ranges));
    context.facts.provide(std::move(found));
    return report;
  };
  return detail::needing(pass("refine_ranges", run), quantize)
      .provides<Ranges>()
      .provides<RefinedRanges>()
      .preserves_all();
}

}  // namespace graft::inline v1
