#pragma once
#include <graft/quantize/tune/choose_dynamic_by_error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/dynamic_inputs.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/pair_qparams.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/target/dynamic_products.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The squared error that rounding leaves.
inline double rounding_error(std::span<const float> values, const QParams& q) {
  const double scale = q.scale, lowest = q.lowest() - q.zero_point, highest = q.highest() - q.zero_point;
  double sum = 0;
  for (const float value : values) {
    const double error = std::clamp(round_half_even(value / scale), lowest, highest) * scale - value;
    sum += error * error;
  }
  return sum;
}

/// Of one tensor, quantized by its range and as the model runs: the share of each sample's power that is lost, in sum.
struct RoundingErrors {
  double by_range = 0, dynamic = 0;

  void add(const Tensor& tensor, const QParams& of_range) {
    if (tensor.dtype() != DType::f32) return;
    const std::span<const float> values = tensor.data<float>();
    const Extent extent = extent_of(values);
    if (values.empty() || !extent.finite) return;
    double power = 0;
    for (const float value : values) power += double{value} * value;
    if (power == 0) return;
    by_range += rounding_error(values, of_range) / power;
    dynamic += rounding_error(values, choose_qparams(extent.range, DType::u8)) / power;
  }
  bool is_dynamic_finer() const { return dynamic < by_range / 4; }
};

}  // namespace detail

GRAFT_INLINE Pass choose_dynamic_by_error(const Target& target, SampleSource samples, ExecutorFactory make_executor) {
  const auto run = [target, samples = std::move(samples), make_executor = std::move(make_executor)](Graph& graph,
                                                                                                 Context& context) {
    Report report;
    DynamicProducts products = DynamicProducts::of(context.facts);
    std::vector<detail::DynamicInput> inputs = detail::dynamic_inputs(graph, target, KeptInFloat::of(context.facts));
    std::erase_if(inputs, [&](const detail::DynamicInput& input) { return !(input.gain(target) > 0); });
    const ActivationDTypes dtypes = ActivationDTypes::of(context.facts);
    const detail::PairQParams qparams(*context.facts.find<Ranges>(), target, dtypes);
    std::vector<QParams> by_range;
    Fetches fetches;
    for (const detail::DynamicInput& input : inputs) {
      by_range.push_back(qparams.of(*input.x));
      fetches.emplace_back(input.x);
    }
    std::vector<detail::RoundingErrors> errors(inputs.size());
    if (!inputs.empty()) {
      AnyExecutor executor = make_executor(graph);
      detail::for_first(samples, std::numeric_limits<std::size_t>::max(), [&](std::size_t, const Sample& sample) {
        if (context.is_cancelled()) return;
        executor.observe(detail::by_name(sample.feeds), fetches,
                         [&](std::size_t i, const Tensor& tensor) { errors[i].add(tensor, by_range[i]); });
      });
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!errors[i].is_dynamic_finer()) continue;
      for (Node* const reader : inputs[i].readers)
        if (detail::product_gain(*reader, target) > 0)
          report.changes += products.add(*reader, "its input is rounded much less as the model runs");
    }
    context.facts.provide(std::move(products));
    if (context.is_cancelled()) report.outcome = Outcome::cancelled;
    return report;
  };
  return pass("choose_dynamic_by_error", run).needs<Ranges>().provides<DynamicProducts>().preserves_all();
}

}  // namespace graft::inline v1
