#pragma once
#include <graft/quantize/calibrate/observe.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/detail/tested_for_nan.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<const Value*> observable(const Graph& graph) {
  std::vector<const Value*> values;
  const auto add = [&](const Value& value) {
    const bool may_be_float = value.dtype() == DType::f32 || value.dtype() == DType::undefined;
    if (may_be_float && !value.name().empty() && !value.is_constant()) values.push_back(&value);
  };
  for (const Value* const input : graph.inputs()) add(*input);
  for (const Node& node : graph.nodes())
    for (const Value& output : node.outputs()) add(output);
  return values;
}

namespace detail {

/// Operators may produce infinity on purpose, for example in masks. Infinity in an input or a product is an error:
/// there the numbers were too large.
inline bool may_be_infinite(const Value& value) {
  const Node* const producer = value.producer();
  if (producer == nullptr) return false;
  return facts_of(*producer).weight_axis < 0;
}

/// The error for a value without a range.
inline Error no_range(const Value& value, const std::string& held) {
  const bool is_fed = value.producer() == nullptr;
  Error error("holds " + held + (is_fed ? "" : " inside the model, where calibration needs a range"));
  return error.code(is_fed ? "input_not_finite" : "not_finite");
}

/// Replaces infinity by the largest float, and NaN by 0 if the value may hold NaN. Throws Error for other NaN.
inline Tensor made_finite(const Tensor& tensor, const Value& value, bool may_be_nan) {
  constexpr float greatest = std::numeric_limits<float>::max();
  std::vector<float> values = tensor.to<float>();
  for (float& element : values) {
    if (std::isnan(element) && !may_be_nan) throw no_range(value, "NaN");
    element = std::isnan(element) ? 0 : std::clamp(element, -greatest, greatest);
  }
  return Tensor::of<float>(tensor.dims(), values);
}

GRAFT_INLINE void observe_one(AnyExecutor& executor, const Sample& sample, const std::vector<const Value*>& values,
                              const StatisticsSink& statistics, std::string_view called) {
  const Fetches fetches(values.begin(), values.end());
  SeenSamples seen;
  std::optional<TestedForNan> tested;  // made on demand: most samples hold neither NaN nor infinity
  const auto is_tested_for_nan = [&](const Value& value) {
    if (!tested) tested.emplace(value.graph());
    return tested->contains(value);
  };
  try {
    if (sample.identity) seen.add(sample.identity->index, sample.identity->name);
    statistics.check_follows(seen);
    executor.observe(sample.feeds, fetches, [&](std::size_t i, const Tensor& found) {
      const bool is_half = found.dtype() == DType::f16 && values[i]->dtype() == DType::f16;
      if (found.dtype() != DType::f32 && !is_half) return;
      const Tensor tensor = is_half ? Tensor::of<float>(found.dims(), found.to<float>()) : found;
      const Extent extent = extent_of(tensor.data<float>());
      try {
        const bool is_tested = !extent.finite && is_tested_for_nan(*values[i]);
        if (extent.finite) {
          statistics.add(values[i]->name(), tensor, extent.range);
        } else if (is_tested || may_be_infinite(*values[i])) {
          const Tensor finite = made_finite(tensor, *values[i], is_tested);
          statistics.add(values[i]->name(), finite, extent_of(finite.data<float>()).range);
        } else {
          throw no_range(*values[i], "NaN or infinity");
        }
      } catch (Error& error) {
        throw error.field(values[i]->name());
      }
    });
  } catch (Error& error) {
    throw on_sample(error, sample, called);
  }
  statistics.count(seen);
}

GRAFT_INLINE void observe_all(AnyExecutor& executor, const std::vector<const Value*>& values,
                              const SampleSource& samples, const StatisticsSink& statistics,
                              const std::function<bool(std::size_t)>& go_on) {
  std::size_t number = 0;
  samples.for_each([&](const Sample& sample) {
    if (go_on && !go_on(number)) return false;
    observe_one(executor, sample, values, statistics, "sample " + std::to_string(number++));
    return true;
  });
}

}  // namespace detail

}  // namespace graft::inline v1
