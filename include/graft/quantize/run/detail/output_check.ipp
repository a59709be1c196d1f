#pragma once
#include <graft/quantize/run/detail/output_check.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
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
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/run/detail/warn.hpp>
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

/// Whether a model cannot be run here, as an operator has no kernel. Errors of a runtime that does not load the model
/// name no node.
inline bool has_no_kernel(const Error& error, Graph& graph) {
  return error.code() == "no_kernel" || (error.node().empty() && !operator_without_kernel(graph).empty());
}

GRAFT_INLINE OutputCheck::OutputCheck(ExecutorFactory make_executor, bool may_exceed_ranges, Context& context,
                                      Report& passes)
    : make_executor_(std::move(make_executor)),
      may_exceed_ranges_(may_exceed_ranges),
      context_(context),
      passes_(passes) {}

GRAFT_INLINE SampleSource OutputCheck::watching(const SampleSource& samples) {
  if (samples.begins_anew()) return samples;
  watched_ = std::make_shared<std::vector<Sample>>();
  return samples.keeping(watched_, max_samples);
}

GRAFT_INLINE void OutputCheck::run_float(Graph& prepared, const SampleSource& samples) {
  std::vector<Sample> some;
  if (watched_ && !watched_->empty()) {
    some = std::move(*watched_);
  } else {
    const auto add = [&](const Sample& sample) {
      some.push_back(sample);
      return some.size() < max_samples;
    };
    spread(samples, max_samples).for_each(add);
  }
  if (const std::optional<Error> error = run(prepared, std::move(some))) {
    if (!has_no_kernel(*error, prepared)) throw *error;
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
  names_.resize(measured_->decisions().size());
  const std::size_t selections_end = fetches.size();
  for (const Value* const output : prepared.outputs())
    if (output->dtype() != DType::string && std::ranges::find(names_, output->name()) == names_.end())
      fetches.emplace_back(output), names_.emplace_back(output->name());
  samples_.clear();
  selected_.clear();
  floats_.clear();
  AnyExecutor executor = make_executor_(prepared);
  for (std::size_t i = 0; i < samples.size() && !context_.is_cancelled(); ++i) {
    Sample& sample = samples[i];
    sample.feeds = by_name(sample.feeds);
    try {
      std::vector<Tensor> outputs = executor.run(sample.feeds, fetches);
      const auto rest = outputs.begin() + static_cast<std::ptrdiff_t>(selections_end);
      std::vector<Tensor> unmeasured(std::make_move_iterator(rest), std::make_move_iterator(outputs.end()));
      outputs.erase(rest, outputs.end());
      selected_.push_back(measured_->take_selected(outputs));
      std::ranges::move(unmeasured, std::back_inserter(outputs));
      floats_.push_back(std::move(outputs));
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
  const std::size_t measured = measured_->decisions().size();
  std::vector<const Value*> values = measured_->in_quantized(quantized);
  for (std::size_t i = measured; i < names_.size(); ++i) values.push_back(quantized.find(names_[i]));
  std::vector<std::size_t> places;
  Fetches fetches;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == nullptr || values[i]->is_constant()) continue;
    places.push_back(i);
    fetches.emplace_back(values[i]);
  }
  std::optional<AnyExecutor> executor;
  const auto run = [&](const Feeds& feeds, const Sample& sample) -> std::optional<std::vector<Tensor>> {
    try {
      if (!executor) executor.emplace(make_executor_(quantized));
      return executor->run(feeds, fetches);
    } catch (Error& error) {
      if (!has_no_kernel(error, quantized))
        throw on_sample(error, sample, "sample " + std::to_string(&sample - samples_.data()));
      skip(error, quantized);
      return std::nullopt;
    }
  };
  std::vector<TensorAngle> angles(places.size());
  std::vector<std::size_t> alike;  // of one dtype in both
  std::optional<FidelityMeter> meter;
  for (std::size_t i = 0; i < samples_.size() && !context_.is_cancelled(); ++i) {
    std::optional<std::vector<Tensor>> outputs;
    for (const bool is_fed : {false, true}) {
      if (is_fed && selected_[i].empty()) break;
      const Feeds& feeds = samples_[i].feeds;
      outputs = run(is_fed ? feeds_of_copy(quantized, feeds, selected_[i]) : feeds, samples_[i]);
      if (!outputs) return std::nullopt;
      for (std::size_t k = 0; k < places.size(); ++k)
        if (const char* const held = non_finite(floats_[i][places[k]], (*outputs)[k]))
          refuse(quantized, names_[places[k]],
                 "holds " + std::string(held) + " in the quantized model, where the float model has numbers", i);
    }
    if (!meter) {
      std::vector<Decision> decisions;
      for (std::size_t k = 0; k < places.size(); ++k) {
        if (places[k] >= measured || floats_[i][places[k]].dtype() != (*outputs)[k].dtype()) continue;
        alike.push_back(k);
        decisions.push_back(measured_->decisions()[places[k]]);
      }
      meter.emplace(std::move(decisions));
    }
    std::vector<Tensor> wanted, given;
    for (const std::size_t k : alike) {
      wanted.push_back(floats_[i][places[k]]);
      given.push_back((*outputs)[k]);
    }
    meter->add(wanted, given);
    for (std::size_t k = 0; k < places.size() && places[k] < measured; ++k)
      if (are_comparable(floats_[i][places[k]], (*outputs)[k])) angles[k].add(floats_[i][places[k]], (*outputs)[k]);
  }
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!angles[k].is_wrong()) continue;
    std::array<char, 32> cosine{};
    std::snprintf(cosine.data(), cosine.size(), "%.3f", angles[k].cosine());
    const std::string how = "has a cosine of " + std::string(cosine.data()) + " with that of the float model";
    if (!is_random_ || !may_exceed_ranges_) refuse(quantized, names_[places[k]], how, std::nullopt);
    warn("on random inputs in the known ranges the output '" + names_[places[k]] + "' " + how +
             ": give samples to see whether it is wrong",
         context_, passes_);
  }
  return is_random_ || alike.empty() ? std::nullopt : std::optional(meter->fidelity());
}

GRAFT_INLINE void OutputCheck::refuse(const Graph& quantized, const std::string& output, const std::string& how,
                                      std::optional<std::size_t> sample) const {
  const std::vector<TensorPair> pairs = tensor_pairs(before_->graph(), quantized);
  Fetches of_floats, of_quantized;
  for (const TensorPair& pair : pairs) {
    of_floats.emplace_back(pair.floats);
    of_quantized.emplace_back(pair.quantized);
  }
  std::vector<TensorAngle> angles(pairs.size());
  std::vector<bool> are_wrong(pairs.size());
  AnyExecutor float_executor = make_executor_(before_->graph()), quantized_executor = make_executor_(quantized);
  for (std::size_t at = sample.value_or(0); at < (sample ? *sample + 1 : samples_.size()); ++at) {
    const std::vector<Tensor> floats = float_executor.run(samples_[at].feeds, of_floats);
    const Feeds feeds = feeds_of_copy(quantized, samples_[at].feeds, selected_[at]);
    quantized_executor.observe(feeds, of_quantized, [&](std::size_t i, const Tensor& tensor) {
      if (sample && non_finite(floats[i], tensor) != nullptr) are_wrong[i] = true;
      if (!sample && are_comparable(floats[i], tensor)) angles[i].add(floats[i], tensor);
    });
  }
  for (std::size_t i = 0; i < pairs.size() && !sample; ++i) are_wrong[i] = angles[i].is_wrong();
  const std::string one = !sample || samples_[*sample].source.empty() ? "a sample" : samples_[*sample].source;
  Error error("the output '" + output + "' " + how + ", on " +
              (is_random_ ? "random inputs"
               : sample   ? one
                          : "samples") +
              ": exclude the node, or quantize in another way");
  const auto first = std::ranges::find(are_wrong, true);
  if (first == are_wrong.end()) throw error;
  const Value& value = *pairs[static_cast<std::size_t>(first - are_wrong.begin())].floats;
  if (value.producer() != nullptr) error.node(display_name(*value.producer()));
  throw error.field(value.name());
}

}  // namespace graft::inline v1::detail
