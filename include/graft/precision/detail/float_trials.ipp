#pragma once
#include <graft/precision/detail/float_trials.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/precision/detail/float_facts.hpp>
#include <graft/precision/detail/float_types.hpp>

namespace graft::inline v1::detail {

/// Whether the tensor is of floats that a conversion may change.
inline bool is_convertible(DType dtype) { return dtype == DType::f32 || is_half_width(dtype); }

inline double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (!std::isfinite(x) && (x == y || (std::isnan(x) && std::isnan(y)))) continue;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  if (aa == 0 && bb == 0) return 1;
  const double result = ab / std::sqrt(aa * bb);
  return std::isnan(result) ? -1 : result;
}

/// The norm of the difference over the norm of `wanted`.
inline double relative_error(const std::vector<float>& wanted, const std::vector<float>& got) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double x = static_cast<double>(wanted[i]), y = static_cast<double>(got[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    error += (x - y) * (x - y);
    norm += x * x;
  }
  return std::sqrt(error / std::max(norm, std::numeric_limits<double>::min()));
}

GRAFT_INLINE void FloatTrials::see(const Tensor& tensor, Seen& seen) const {
  const FloatRange range = FloatRange::of(to_);
  for (const float element : tensor.to<float>()) {
    const double size = std::abs(static_cast<double>(element));
    seen.is_finite = seen.is_finite && std::isfinite(size);
    seen.is_large = seen.is_large || (size > range.largest && std::isfinite(size));
    seen.nonzero += size != 0 ? 1 : 0;
    seen.vanished += size != 0 && size < range.smallest ? 1 : 0;
  }
}

GRAFT_INLINE Fetches FloatTrials::fetches(const Graph& graph) const {
  Fetches all;
  const auto add = [&](const Value& value) {
    if (!value.name().empty() && !is_container(value) && is_convertible(value.dtype())) all.emplace_back(value);
  };
  for (const Value* const input : graph.inputs())
    if (!is_in_model(*input)) add(*input);
  for (const Node& node : graph.nodes())
    if (!node.is("Constant"))
      for (const Value& output : node.outputs()) add(output);
  return all;
}

/// The inputs, in the dtypes of the graph.
GRAFT_INLINE Feeds FloatTrials::feeds_for(const Graph& graph, const Feeds& feeds) {
  Feeds converted = feeds;
  for (auto& [ref, tensor] : converted) {
    const Value* const input = graph.find(ref.name());
    if (input == nullptr || !is_convertible(input->dtype()) || !is_convertible(tensor.dtype())) continue;
    if (input->dtype() != tensor.dtype()) tensor = Tensor::of(input->dtype(), tensor.dims(), tensor.to<float>());
  }
  return converted;
}

template <class F>
void FloatTrials::for_first(F&& f) const {
  bool is_first = true;
  visit_samples([&](const Feeds& feeds) {
    if (std::exchange(is_first, false)) f(feeds);
  });
}

GRAFT_INLINE void FloatTrials::visit_samples(const std::function<void(const Feeds&)>& visit) const {
  options_->samples([&](const Feeds& feeds) {
    if (!context_->is_cancelled()) visit(feeds);
  });
}

/// Runs the graph once: shows the tensors of `all`, and returns the outputs.
inline std::vector<Tensor> run_and_observe(const Evaluator& evaluator, const Graph& graph, const Feeds& feeds,
                                           const Fetches& all, const Observer& observer) {
  Fetches both = all;
  for (const Value* const output : graph.outputs()) both.emplace_back(output);
  std::vector<Tensor> outputs(graph.output_count());
  evaluator.observe(feeds, both, [&](std::size_t i, const Tensor& tensor) {
    if (i < all.size()) return observer(i, tensor);
    Tensor& output = outputs[i - all.size()] = tensor;
    if (output.borrows()) output.mutable_bytes();  // a copy, because the model changes
  });
  return outputs;
}

GRAFT_INLINE FloatTrials::FloatTrials(const Graph& graph, const FloatOptions& options, const Context& context, DType to)
    : options_(&options), context_(&context), to_(to) {
  const Evaluator evaluator(graph);
  const Fetches all = fetches(graph);
  visit_samples([&](const Feeds& feeds) {
    const auto see_value = [&](std::size_t i, const Tensor& tensor) { see(tensor, seen_[all[i].value()]); };
    outputs_.push_back(run_and_observe(evaluator, graph, feeds, all, see_value));
  });
  for (auto& [value, seen] : seen_) seen.is_vanishing = seen.vanished > options.max_vanished * seen.nonzero;
}

GRAFT_INLINE std::string_view FloatTrials::why_kept(const Node& node) const {
  std::string_view why;
  const auto look = [&](const Value* value) {
    const auto found = value == nullptr ? seen_.end() : seen_.find(value);
    if (found == seen_.end()) return;
    if (found->second.is_large) why = "beyond the range on samples";
    else if (found->second.is_vanishing && why.empty()) why = "vanishes on samples";
  };
  for (const Value* const input : node.inputs()) look(input);
  for (const Value& output : node.outputs()) look(&output);
  return why;
}

GRAFT_INLINE std::vector<const Node*> FloatTrials::narrow_sources(const Node& bad) const {
  std::vector<const Node*> reached{&bad}, sources;
  std::unordered_set<const Node*> seen{&bad};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Node& node = *reached[i];
    const bool is_narrow = std::any_of(node.outputs().begin(), node.outputs().end(),
                                       [&](const Value& output) { return element_dtype(output) == to_; });
    if (is_narrow && (!node.is("Cast") || &node == &bad)) {
      sources.push_back(&node);
      continue;
    }
    for (const Value* const input : node.inputs())
      if (input != nullptr && input->producer() != nullptr && seen.insert(input->producer()).second)
        reached.push_back(input->producer());
  }
  return sources;
}

GRAFT_INLINE FloatTrial FloatTrials::run(const Graph& converted) const {
  FloatTrial trial;
  const Evaluator evaluator(converted);
  Fetches all = fetches(converted);
  std::erase_if(all, [&](const ValueRef& ref) {
    const auto found = seen_.find(ref.value());
    return ref.value()->producer() == nullptr || found == seen_.end() || !found->second.is_finite;
  });
  std::size_t sample = 0;
  visit_samples([&](const Feeds& given) {
    const Feeds feeds = feeds_for(converted, given);
    const std::vector<Tensor>& wanted = outputs_.at(sample++);
    const bool is_known = trial.first_bad != nullptr;
    const auto find_bad = [&](std::size_t i, const Tensor& tensor) {
      if (is_known) return;
      const Node* const node = all[i].value()->producer();
      if (trial.first_bad != nullptr && !node->before(*trial.first_bad)) return;
      const std::vector<float> elements = tensor.to<float>();
      if (!std::all_of(elements.begin(), elements.end(), [](float element) { return std::isfinite(element); }))
        trial.first_bad = node;
    };
    const std::vector<Tensor> got = run_and_observe(evaluator, converted, feeds, all, find_bad);
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!is_convertible(wanted[i].dtype())) continue;
      const bool is_comparable = wanted[i].dims() == got[i].dims();
      trial.cosine =
          std::min(trial.cosine, is_comparable ? cosine(wanted[i].to<float>(), got[i].to<float>()) : -1.0);
    }
  });
  return trial;
}

GRAFT_INLINE void FloatTrials::remember(const Graph& graph) {
  const Fetches all = fetches(graph);
  for_first([&](const Feeds& feeds) {
    Evaluator(graph).observe(feeds, all,
                             [&](std::size_t i, const Tensor& tensor) { first_[all[i].value()] = tensor; });
  });
}

GRAFT_INLINE std::vector<const Node*> FloatTrials::ranked(const Graph& converted) const {
  std::unordered_map<const Value*, double> errors;
  const Fetches all = fetches(converted);
  for_first([&](const Feeds& feeds) {
    Evaluator(converted).observe(feeds_for(converted, feeds), all, [&](std::size_t i, const Tensor& tensor) {
      const auto wanted = first_.find(all[i].value());
      if (wanted != first_.end() && wanted->second.dims() == tensor.dims())
        errors[all[i].value()] = relative_error(wanted->second.to<float>(), tensor.to<float>());
    });
  });
  std::vector<std::pair<double, const Node*>> added;
  for (const Node& node : converted.nodes()) {
    double before = 0, after = -1;
    for (const Value* input : node.inputs()) {
      while (input != nullptr && input->producer() != nullptr && input->producer()->is("Cast"))
        input = input->producer()->input(0);
      if (const auto found = errors.find(input); found != errors.end()) before = std::max(before, found->second);
    }
    for (const Value& output : node.outputs())
      if (const auto found = errors.find(&output); found != errors.end() && output.dtype() == to_)
        after = std::max(after, found->second);
    if (after >= 0) added.emplace_back(after - before, &node);
  }
  std::stable_sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Node*> nodes;
  for (const auto& [error, node] : added) nodes.push_back(node);
  return nodes;
}

}  // namespace graft::inline v1::detail
