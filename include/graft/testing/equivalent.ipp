#pragma once
#include <graft/testing/equivalent.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluator.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/feeds.hpp>
#include <graft/testing/detail/noisy_graph.hpp>
#include <graft/testing/detail/watched_bodies.hpp>

namespace graft::inline v1 {
namespace detail {

struct Tolerance {
  double absolute, relative;
};

/// "[1,0,2]": the position of element i.
inline std::string position(const Dims& dims, std::size_t i) {
  Dims at(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    const auto extent = static_cast<std::size_t>(dims[axis]);
    at[axis] = static_cast<std::int64_t>(i % extent);
    i /= extent;
  }
  return to_string(at);
}

/// The tolerance of elements.
class Closeness {
 public:
  Closeness(const Tensor& was, Tolerance tolerance) : tolerance_(tolerance) {
    if (!is_float(was.dtype())) return;
    // The error of one rounding.
    if (was.dtype() == DType::f16) tolerance_.relative = std::max(tolerance_.relative, 0x1p-9);
    if (was.dtype() == DType::bf16) tolerance_.relative = std::max(tolerance_.relative, 0x1p-6);
    for (const double value : was.to<double>())
      if (std::isfinite(value)) largest_ = std::max(largest_, std::abs(value));
  }

  bool close(double was, double got) const {
    if (was == got || (std::isnan(was) && std::isnan(got)) || std::isinf(tolerance_.absolute)) return true;
    const double most = tolerance_.absolute * largest_ + tolerance_.relative * std::abs(was);
    return std::isfinite(was) && std::abs(was - got) <= most;
  }
  // Some 64-bit integers are not a double.
  template <std::integral T>
  bool close(T was, T got) const {
    const auto apart = [](T more, T less) {
      return static_cast<std::uint64_t>(more) - static_cast<std::uint64_t>(less);
    };
    return was == got || static_cast<double>(was > got ? apart(was, got) : apart(got, was)) <= tolerance_.absolute;
  }

 private:
  Tolerance tolerance_;
  double largest_ = 1;
};

template <Number T>
std::optional<std::string> element_difference(const Tensor& was, const Tensor& got, const Closeness& closeness) {
  const std::vector<T> left = was.to<T>(), right = got.to<T>();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (closeness.close(left[i], right[i])) continue;
    const auto text = [](T value) {
      if constexpr (std::integral<T>) return std::to_string(value);
      else return number(value);
    };
    return "is " + text(right[i]) + " at " + position(was.dims(), i) + ", was " + text(left[i]);
  }
  return std::nullopt;
}

/// The difference of `got` from `was`, if above the tolerance. That of floats is absolute * max(1, the largest of
/// |was|) + relative *
/// |was|, and NaN equals NaN; that of integers is `absolute`.
inline std::optional<std::string> tensor_difference(const Tensor& was, const Tensor& got, Tolerance tolerance) {
  if (was.dtype() != got.dtype() || was.dims() != got.dims()) {
    return "is " + to_string(got.dtype(), got.dims()) + ", was " + to_string(was.dtype(), was.dims());
  }
  if (was.same_bytes(got)) return std::nullopt;
  const Closeness closeness(was, tolerance);
  if (is_float(was.dtype())) return element_difference<double>(was, got, closeness);
  if (was.dtype() == DType::u64) return element_difference<std::uint64_t>(was, got, closeness);
  return element_difference<std::int64_t>(was, got, closeness);
}

/// Runs a graph, and compares its values with their declared types.
class Subject {
 public:
  Subject(const Graph& graph, const Kernels& kernels, bool watches_bodies = false) : graph_(&graph) {
    if (watches_bodies) bodies_.emplace(graph, kernels);
    evaluator_.emplace(graph, bodies_ ? bodies_->kernels() : kernels);
    for (const Value* const output : graph.outputs()) fetches_.emplace_back(output);
    for (const Node& node : graph.nodes()) {
      for (const Value& output : node.outputs())
        if ((output.type() == nullptr || output.type()->has_tensor_type()) && !output.name().empty())
          fetches_.emplace_back(output);
    }
  }

  /// The outputs, the first value without its declared type, and whether all values are ordinary: finite, and not empty
  /// if their extents are unknown.
  std::vector<Tensor> run(const Feeds& feeds, const FeedMaker::Sizes& sizes, std::optional<std::string>& mistyped,
                          bool* ordinary = nullptr) {
    Feeds own;
    for (const auto& feed : feeds) {
      const Value* const input = graph_->find(feed.first.name());
      if (input != nullptr && input->is_graph_input()) own.push_back(feed);
    }
    std::vector<Tensor> outputs(graph_->output_count());
    if (bodies_) bodies_->start();
    evaluator_->observe(own, fetches_, [&](std::size_t fetch, const Tensor& tensor) {
      if (ordinary != nullptr) *ordinary = *ordinary && is_ordinary(*fetches_[fetch].value(), tensor);
      if (fetch < outputs.size()) outputs[fetch] = tensor;
      if (fetch >= outputs.size() && !mistyped) mistyped = type_fault(*fetches_[fetch].value(), tensor, sizes);
    });
    if (ordinary != nullptr && bodies_) *ordinary = *ordinary && bodies_->are_finite();
    return outputs;
  }

 private:
  static bool is_ordinary(const Value& value, const Tensor& tensor) {
    const Shape shape = value.shape();
    return is_finite(tensor) && (tensor.size() != 0 || !shape.known() || shape.dims());
  }
  static std::optional<std::string> type_fault(const Value& value, const Tensor& tensor,
                                               const FeedMaker::Sizes& sizes) {
    const Shape shape = value.shape();
    if (value.type() == nullptr) return std::nullopt;
    bool fits = value.dtype() == tensor.dtype() && (!shape.known() || shape.rank() == tensor.rank());
    for (std::size_t axis = 0; fits && axis < shape.rank(); ++axis) {
      const auto size = sizes.find(std::string(shape[axis].symbol()));
      if (shape[axis].known()) fits = shape[axis].value() == tensor.dims()[axis];
      if (shape[axis].symbolic() && size != sizes.end()) fits = size->second == tensor.dims()[axis];
    }
    if (fits) return std::nullopt;
    return to_string(&value) + " is declared as " + to_string(*value.type()) + " and is " +
           to_string(tensor.dtype(), tensor.dims());
  }

  const Graph* graph_;
  std::optional<WatchedBodies> bodies_;
  std::optional<Evaluator> evaluator_;
  Fetches fetches_;
};

/// Whether the difference of the tensors is within the effect of rounding on this output of the graph.
inline bool explained_by_rounding(const NoisyGraph& noisy, const Feeds& feeds, std::size_t i, const Tensor& was,
                                  const Tensor& got, const Equivalence& how) {
  constexpr std::size_t runs = 30;  // enough to see a jump that happens in half of the runs
  if (was.dtype() != got.dtype() || bits(was.dtype()) == 0 || is_complex(was.dtype())) return false;
  const std::vector<double> spread = noisy.spread(feeds, i, was, runs);
  if (spread.empty() && was.size() != 0) return true;
  if (was.dims() != got.dims()) return false;
  const std::vector<double> before = was.to<double>(), after = got.to<double>();
  const Closeness closeness(was, {how.atol, how.rtol});
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (closeness.close(before[k], after[k]) || std::abs(after[k] - before[k]) <= 3 * spread[k]) continue;
    return false;
  }
  return true;
}

GRAFT_INLINE Comparison compare(const Graph& before, const Graph* after, const Equivalence& how) {
  Comparison result;
  std::optional<Subject> was, is;
  std::optional<NoisyGraph> noisy;  // made on demand
  try {
    was.emplace(before, *how.kernels, how.stable_only);
  } catch (const Error& error) {
    result.failure = error.what();
    return result;
  }
  FeedMaker maker(before, how.seed, {how.dims.begin(), how.dims.end()}, how.non_finite);
  for (std::size_t round = 0; round < how.inputs && !result.difference; ++round) {
    std::vector<Tensor> wanted;
    std::optional<std::string> ignored, mistyped;
    Feeds feeds;
    try {
      feeds = maker.feeds(round);
      bool ordinary = true;
      wanted = was->run(feeds, maker.sizes(), ignored, how.stable_only ? &ordinary : nullptr);
      if (!ordinary) {
        if (result.failure.empty()) result.failure = "its values are not finite, or there are none";
        continue;
      }
    } catch (const Error& error) {
      if (result.failure.empty()) result.failure = error.what();
      continue;
    }
    ++result.runs;
    if (after == nullptr) continue;
    const std::string set = "with set " + std::to_string(round) + " of feeds, ";
    try {
      if (!is) is.emplace(*after, *how.kernels);
      const std::vector<Tensor> got = is->run(feeds, maker.sizes(), mistyped);
      for (std::size_t i = 0; i < wanted.size() && !result.difference; ++i) {
        const std::optional<std::string> difference = tensor_difference(wanted[i], got[i], {how.atol, how.rtol});
        if (!difference) continue;
        if (how.stable_only) {
          if (!noisy) noisy.emplace(before, *how.kernels, how.seed);
          if (explained_by_rounding(*noisy, feeds, i, wanted[i], got[i], how)) continue;
        }
        result.difference = set + "output " + to_string(before.output(i)) + " " + *difference;
      }
      if (mistyped && !ignored && !result.difference) result.difference = set + *mistyped;
    } catch (const Error& error) {
      result.difference = set + "it cannot be run: " + error.what();
    }
  }
  return result;
}

}  // namespace detail

GRAFT_INLINE TestResult equivalent(const Graph& before, const Graph& after, const Equivalence& how) {
  if (before.output_count() != after.output_count()) {
    return TestResult::fail(std::to_string(after.output_count()) + " outputs, were " +
                            std::to_string(before.output_count()));
  }
  const detail::Comparison found = detail::compare(before, &after, how);
  if (found.difference) return TestResult::fail(*found.difference);
  if (found.runs == 0) return TestResult::fail("the graph cannot be evaluated: " + found.failure);
  return TestResult::pass();
}

}  // namespace graft::inline v1
