#pragma once
#include <graft/quantize/run/detail/output_check.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/measured_outputs.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/detail/tensor_pairs.hpp>
#include <graft/quantize/run/detail/random_feeds.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// The angle between all values of a tensor in two models.
struct TensorAngle {
  double xx = 0, qq = 0, xq = 0;
  std::size_t values = 0;

  void add(const Tensor& floats, const Tensor& quantized) {
    const std::vector<float> x = floats.to<float>(), q = quantized.to<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(q[i])) continue;
      const double a = x[i], b = q[i];
      xx += a * a;
      qq += b * b;
      xq += a * b;
      ++values;
    }
  }
  double cosine() const { return xx > 0 && qq > 0 ? xq / (std::sqrt(xx) * std::sqrt(qq)) : 0; }
  bool is_wrong() const {
    return values >= OutputCheck::fewest_values && xx > 0 && cosine() < OutputCheck::least_cosine;
  }
};

inline bool are_comparable(const Tensor& floats, const Tensor& quantized) {
  return is_float(floats.dtype()) && is_float(quantized.dtype()) && floats.dims() == quantized.dims();
}

/// What the quantized tensor holds in place of numbers: "NaN", "infinity"; nullptr for numbers alone.
inline const char* non_finite(const Tensor& floats, const Tensor& quantized) {
  if (!is_float(floats.dtype()) || !is_float(quantized.dtype())) return nullptr;
  std::vector<float> x = floats.to<float>();
  const std::vector<float> q = quantized.to<float>();
  if (floats.dims() != quantized.dims()) {  // other rows: no number has its place
    if (!std::ranges::all_of(x, [](float value) { return std::isfinite(value); })) return nullptr;
    x.assign(q.size(), 0);
  }
  const char* held = nullptr;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(q[i]) && !std::isnan(x[i])) return "NaN";
    if (std::isinf(q[i]) && !std::isnan(x[i]) && x[i] != q[i]) held = "infinity";
  }
  return held;
}

/// "com.example::Sort", of the first node that graft's evaluator has no kernel for; empty if there is none.
inline std::string operator_without_kernel(Graph& graph) {
  for (const Graph* const scope : with_bodies(graph))
    for (const Node& node : scope->nodes())
      if (Kernels::standard().find(node) == nullptr)
        return (node.domain().empty() ? "" : std::string(node.domain()) + "::") + std::string(node.op_type());
  return {};
}

GRAFT_INLINE OutputCheck::OutputCheck(const QuantizeOptions& options, Context& context, Report& passes)
    : options_(options), context_(context), passes_(passes), make_executor_(trial_executor(options, context)) {}

GRAFT_INLINE SampleSource OutputCheck::watching(const SampleSource& samples) {
  if (samples.begins_anew()) return samples;
  watched_ = std::make_shared<std::vector<Sample>>();
  return samples.keeping(watched_, most_samples);
}

GRAFT_INLINE void OutputCheck::run_float(Graph& prepared, const SampleSource& samples) {
  std::vector<Sample> some;
  if (watched_ && !watched_->empty()) {
    some = std::move(*watched_);
  } else {
    const auto add = [&](const Sample& sample) {
      some.push_back(sample);
      return some.size() < most_samples;
    };
    spread(samples, most_samples).for_each(add);
  }
  if (const std::optional<Error> error = run(prepared, std::move(some))) {
    if (operator_without_kernel(prepared).empty()) throw *error;
    skip(*error, prepared);
  }
}

GRAFT_INLINE void OutputCheck::run_float(Graph& prepared, const Ranges& ranges) {
  is_random_ = true;
  std::optional<Error> error;
  for (const std::int64_t open_extent : {32, 224}) {  // a net may shrink what it reads by 32
    std::vector<Sample> samples;
    try {
      for (const std::uint32_t seed : {1U, 2U, 3U})
        samples.emplace_back(random_feeds(prepared, ranges, open_extent, seed));
      error = run(prepared, std::move(samples));
    } catch (const Error& without_feeds) {
      error = without_feeds;
    }
    if (!error) return;
  }
  skip(*error, prepared);
}

GRAFT_INLINE std::optional<Error> OutputCheck::run(const Graph& prepared, std::vector<Sample> samples) {
  measured_.emplace(prepared);
  Fetches fetches = measured_->in_floats(prepared);
  names_.clear();
  for (const ValueRef& fetch : fetches) names_.emplace_back(fetch.name());
  Fetches others;
  for (const Value* const output : prepared.outputs())
    if (output->dtype() != DType::string && std::ranges::find(names_, output->name()) == names_.end())
      others.emplace_back(output);
  unmeasured_ = others.size();
  for (std::size_t i = 0; i < unmeasured_; ++i)
    names_.emplace(names_.begin() + static_cast<std::ptrdiff_t>(i), others[i].name());
  fetches.insert(fetches.begin(), others.begin(), others.end());
  samples_.clear();
  selected_.clear();
  floats_.clear();
  AnyExecutor executor = make_executor_(prepared);
  for (std::size_t i = 0; i < samples.size() && !context_.is_cancelled(); ++i) {
    Sample& sample = samples[i];
    sample.feeds = by_name(sample.feeds);
    try {
      floats_.push_back(executor.run(sample.feeds, fetches));
      selected_.push_back(measured_->take_selected(floats_.back()));
    } catch (Error& error) {
      samples_.clear();
      return on_sample(error, sample, "sample " + std::to_string(i));
    }
    samples_.push_back(std::move(sample));
  }
  return std::nullopt;
}

GRAFT_INLINE void OutputCheck::skip(const Error& error, Graph& graph) {
  samples_.clear();
  const std::string unknown = operator_without_kernel(graph);
  warn("the quantized model was not compared with the float model: " +
           (unknown.empty() ? std::string(error.what()) : "no kernel runs " + unknown),
       context_, passes_);
}

GRAFT_INLINE void OutputCheck::remember(Model& model) {
  if (!samples_.empty()) before_ = model.clone();
}

GRAFT_INLINE std::optional<Fidelity> OutputCheck::expect_sound(Graph& quantized) {
  if (samples_.empty() || context_.is_cancelled()) return std::nullopt;
  if (options_.format == QuantizedFormat::qonnx) make_executor_ = {};  // other runtimes do not know Quant
  std::vector<const Value*> values = measured_->in_quantized(quantized);
  for (std::size_t i = 0; i < unmeasured_; ++i)
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(i), quantized.find(names_[i]));
  std::vector<std::size_t> places;
  std::vector<Decision> decisions;
  Fetches fetches;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr || values[i]->is_constant()) continue;
    places.push_back(i);
    fetches.emplace_back(values[i]);
    if (i >= unmeasured_) decisions.push_back(measured_->decisions()[i - unmeasured_]);
  }
  std::vector<TensorAngle> angles(places.size());
  FidelityMeter meter(std::move(decisions));
  bool is_compared = false;
  std::optional<AnyExecutor> executor;
  for (std::size_t i = 0; i < samples_.size() && !context_.is_cancelled(); ++i) {
    std::vector<Tensor> outputs, wanted, given;
    try {
      if (!executor) executor.emplace(make_executor_(quantized));
      outputs = executor->run(measured_->feeds_of_copy(quantized, samples_[i].feeds, selected_[i]), fetches);
    } catch (Error& error) {
      if (!operator_without_kernel(quantized).empty()) return skip(error, quantized), std::nullopt;
      throw on_sample(error, samples_[i], "sample " + std::to_string(i));
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Tensor& floats = floats_[i][places[k]];
      if (const char* const held = non_finite(floats, outputs[k]))
        refuse(quantized, names_[places[k]],
               "holds " + std::string(held) + " in the quantized model, where the float model has numbers",
               &samples_[i]);
      if (places[k] < unmeasured_) continue;
      if (are_comparable(floats, outputs[k])) angles[k].add(floats, outputs[k]);
      if (floats.dtype() != outputs[k].dtype()) continue;
      is_compared = true;
      wanted.push_back(floats);
      given.push_back(outputs[k]);
    }
    meter.add(wanted, given);
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!angles[k].is_wrong()) continue;
    std::array<char, 32> cosine{};
    std::snprintf(cosine.data(), cosine.size(), "%.3f", angles[k].cosine());
    const std::string how = "has a cosine of " + std::string(cosine.data()) + " with that of the float model";
    if (!may_exceed_ranges()) refuse(quantized, names_[places[k]], how, nullptr);
    warn("on random inputs in the known ranges the output '" + names_[places[k]] + "' " + how +
             ": give samples to see whether it is wrong",
         context_, passes_);
  }
  return is_random_ || !is_compared ? std::nullopt : std::optional(meter.fidelity());
}

GRAFT_INLINE void OutputCheck::refuse(const Graph& quantized, const std::string& output, const std::string& how,
                                      const Sample* sample) const {
  const std::vector<TensorPair> pairs = tensor_pairs(before_->graph(), quantized);
  Fetches of_floats, of_quantized;
  for (const TensorPair& pair : pairs) {
    of_floats.emplace_back(pair.floats);
    of_quantized.emplace_back(pair.quantized);
  }
  std::vector<TensorAngle> angles(pairs.size());
  std::vector<bool> are_wrong(pairs.size());
  AnyExecutor float_executor = make_executor_(before_->graph()), quantized_executor = make_executor_(quantized);
  const std::span<const Sample> shown = sample != nullptr ? std::span(sample, 1) : std::span(samples_);
  for (const Sample& each : shown) {
    const std::vector<Tensor> floats = float_executor.run(each.feeds, of_floats);
    quantized_executor.observe(each.feeds, of_quantized, [&](std::size_t i, const Tensor& tensor) {
      if (sample != nullptr && non_finite(floats[i], tensor) != nullptr) are_wrong[i] = true;
      if (sample == nullptr && are_comparable(floats[i], tensor)) angles[i].add(floats[i], tensor);
    });
  }
  for (std::size_t i = 0; i < pairs.size() && sample == nullptr; ++i) are_wrong[i] = angles[i].is_wrong();
  const std::string one = sample == nullptr || sample->source.empty() ? "a sample" : sample->source;
  Error error("the output '" + output + "' " + how + ", on " +
              (is_random_          ? "random inputs"
               : sample != nullptr ? one
                                   : "samples") +
              ": exclude the node, or quantize in another way");
  const auto first = std::ranges::find(are_wrong, true);
  if (first == are_wrong.end()) throw error;
  const Value& value = *pairs[static_cast<std::size_t>(first - are_wrong.begin())].floats;
  if (value.producer() != nullptr) error.node(display_name(*value.producer()));
  throw error.field(value.name());
}

}  // namespace graft::inline v1::detail
