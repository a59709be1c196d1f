#pragma once
#include <graft/quantize/cache/quantize_cache.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/head_magnitudes.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/quantize/kernel/fault.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

inline bool takes_cache(std::span<const int> kernels, int bits) {
  return std::find(kernels.begin(), kernels.end(), bits) != kernels.end();
}

/// Keys and values of a GroupQueryAttention: inputs, outputs and scales at i, and i + 1.
inline constexpr std::size_t cache_parts = 2, first_past = 3, first_present = 1, score_bias = 10,
                             first_cache_scale = 12;

inline bool has_cache(const Node& node) {
  if (!node.is("com.microsoft::GroupQueryAttention") || node.outputs().size() < first_present + cache_parts)
    return false;
  return node.input(first_past) != nullptr && node.input(first_past + 1) != nullptr;
}

inline bool is_cast(const Node* node, const Graph& graph, DType from, DType to) {
  return node != nullptr && node->is("Cast") && &node->graph() == &graph && node->input(0)->dtype() == from &&
         node->output(0)->dtype() == to;
}

/// The graph's own cache in front of the node, or behind it. A model of float16 that computes in float32 has Casts
/// between them.
inline Value& stored_past(const Node& node, std::size_t part) {
  Value& past = *node.input(first_past + part);
  const bool is_widened = past.has_one_use() && is_cast(past.producer(), node.graph(), DType::f16, DType::f32);
  return is_widened ? *past.producer()->input(0) : past;
}
inline Value& stored_present(const Node& node, std::size_t part) {
  Value& present = *node.output(first_present + part);
  const Node* const reader = present.has_one_use() ? present.uses().front().user() : nullptr;
  return is_cast(reader, node.graph(), DType::f32, DType::f16) ? *reader->output(0) : present;
}

/// Whether a node reads extents alone, and none that a cache of these bits changes: with 4 bits the last one is halved.
inline bool reads_kept_extents(const Node& reader, int bits) {
  if (!reader.is("Shape")) return false;
  constexpr std::int64_t rank = 4, last = rank - 1;
  const auto bound = [&](const char* name, std::int64_t absent) {
    const std::int64_t given = reader.attr<std::int64_t>(name).value_or(absent);
    return std::clamp<std::int64_t>(given < 0 ? given + rank : given, 0, rank);
  };
  const std::int64_t start = bound("start", 0), end = bound("end", rank);
  if (bits == 8 || start >= end || end <= last) return true;
  return std::ranges::all_of(reader.output(0)->uses(), [&](const Use& use) {
    if (use.user() == nullptr || !use.user()->is("Gather")) return false;
    const std::optional<Tensor> indices = use.user()->input(1)->constant();
    return indices && std::ranges::none_of(indices->to<std::int64_t>(), [&](std::int64_t index) {
             return (index < 0 ? end : start) + index == last;
           });
  });
}

/// Why the cache of such a node cannot be stored in these bits; empty if it can.
inline std::string why_cache_in_float(const Node& node, const Target& target, int bits) {
  if (target.has(Fault::dropped_cache_bias) && node.input(score_bias) != nullptr)
    return "the runtime drops its bias beside a cache in integers; release 1.28 does not";
  for (std::size_t i = 0; i < cache_parts; ++i) {
    const Value &past = stored_past(node, i), &present = stored_present(node, i);
    const Node* const reader = &past == node.input(first_past + i) ? &node : node.input(first_past + i)->producer();
    const std::string before = "'" + std::string(past.name()) + "'", after = "'" + std::string(present.name()) + "'";
    const bool takes_half = !target.has(Quirk::refuses_half_with_cache);
    const bool is_half = past.dtype() == DType::f16 && (takes_half || reader != &node);
    if (past.dtype() != DType::f32 && !is_half)
      return before + " is " + std::string(to_string(past.dtype())) + ", not f32" + (takes_half ? " or f16" : "");
    if (!past.is_graph_input() || past.initializer() != nullptr || &past.graph() != &node.graph())
      return before + " is not an input without a default";
    const bool is_read_alone = std::ranges::all_of(past.uses(), [&](const Use& use) {
      const Node* const user = use.user();
      if (user == reader) return user != &node || use.index() == first_past + i;
      return user != nullptr && reads_kept_extents(*user, bits);
    });
    if (!is_read_alone) return before + " has other readers";
    if (!present.is_graph_output() || !present.has_one_use())
      return after + " is not an output of the model alone";
  }
  return {};
}

/// Whether each head of `size` features in the first result is one of the first input, with features in their order.
inline bool moves_heads(const Node& node, Dim size) {
  if (node.input_count() == 0 || node.input(0) == nullptr) return false;
  if (!node.is("Transpose"))
    return node.is("Reshape") || node.is("Squeeze") || node.is("Unsqueeze") || node.is("Cast") || node.is("Identity");
  const auto perm = node.attr<Ints>("perm");
  if (!perm || perm->empty() || perm->back() + 1 != static_cast<std::int64_t>(perm->size())) return false;
  const Shape shape = node.input(0)->shape();
  const Dim last = shape.rank() == perm->size() ? shape[perm->size() - 1] : Dim();
  return !last.known() || !size.known() || (size.value() != 0 && last.value() % size.value() == 0);
}

inline constexpr std::string_view no_cache = "no GroupQueryAttention of com.microsoft has a cache";

inline std::string stays_in_float(const Node& node, const std::string& why) {
  return "the cache of '" + std::string(node.name()) + "' stays in float: " + why;
}

/// The features of its keys that are rotated before they are stored.
inline RotatedFeatures rotated_features(const Node& node) {
  const auto integer = [](const Node& of, std::string_view name) { return of.attr<std::int64_t>(name).value_or(0); };
  const Shape past = stored_past(node, 0).shape();
  const Dim size = past.rank() == 4 ? past[3] : Dim();
  const std::int64_t all = size.known() ? size.value() : 0;
  if (integer(node, "do_rotary") != 0 && node.input(7) != nullptr) {
    const Shape angles = node.input(7)->shape();
    const bool is_known = angles.known() && angles.rank() == 2 && angles[1].known();
    return {static_cast<std::size_t>(is_known ? 2 * angles[1].value() : all), integer(node, "rotary_interleaved") != 0};
  }
  const Node* before = node.input(1) == nullptr ? nullptr : node.input(1)->producer();
  while (before != nullptr && moves_heads(*before, size)) before = before->input(0)->producer();
  if (before == nullptr || !(before->is("RotaryEmbedding") || before->is("com.microsoft::RotaryEmbedding"))) return {};
  const std::int64_t part = integer(*before, "rotary_embedding_dim");
  return {static_cast<std::size_t>(part > 0 ? part : all), integer(*before, "interleaved") != 0};
}

/// Keys or values that are rotated alike, and what is seen of them.
struct CacheGroup {
  std::vector<const Value*> values{};
  Statistics<HeadMagnitudes> seen;
};

class CacheQuantizer {
 public:
  CacheQuantizer(Graph& graph, const Target& target, int bits, Report& report)
      : graph_(graph), bits_(bits), report_(report) {
    for (Node& node : graph.nodes()) {
      if (!has_cache(node)) continue;
      if (const std::string why = why_cache_in_float(node, target, bits); why.empty()) nodes_.push_back(&node);
      else keep_in_float(node, why);
    }
  }

  bool empty() const { return nodes_.empty(); }

  /// Returns the report of the runs.
  Report observe(const SampleSource& samples, const ExecutorFactory& make_executor, Context& context) {
    for (const Node* const node : nodes_)
      for (std::size_t i = 0; i < cache_parts; ++i)
        group(i == 0 ? rotated_features(*node) : RotatedFeatures()).values.push_back(node->output(first_present + i));
    std::vector<const Value*> values;
    std::vector<StatisticsSink::Part> parts;
    for (CacheGroup& one : groups_) {
      values.insert(values.end(), one.values.begin(), one.values.end());
      parts.emplace_back(one.values, StatisticsSink(one.seen));
    }
    return run_samples(graph_, values, {{samples, StatisticsSink(parts)}}, make_executor, context, "quantize_cache");
  }

  void quantize() {
    Transaction transaction(graph_);
    for (Node* const node : nodes_) {
      const std::array<const HeadMagnitudes*, cache_parts> seen{find(*node->output(first_present)),
                                                                find(*node->output(first_present + 1))};
      if (std::any_of(seen.begin(), seen.end(), [](const auto* one) { return one == nullptr || one->size() == 0; })) {
        keep_in_float(*node, "no sample has a key");
        continue;
      }
      quantize(*node, seen);
      ++report_.changes;
    }
    transaction.keep();
  }

 private:
  void keep_in_float(const Node& node, const std::string& why) { report_.notes.push_back(stays_in_float(node, why)); }

  CacheGroup& group(RotatedFeatures rotated) {
    const HeadMagnitudes start(rotated);
    for (CacheGroup& one : groups_)
      if (one.seen.start() == start) return one;
    return groups_.emplace_back(CacheGroup{{}, Statistics<HeadMagnitudes>(start)});
  }

  const HeadMagnitudes* find(const Value& present) const {
    for (const CacheGroup& one : groups_)
      if (const HeadMagnitudes* const seen = one.seen.find(present.name())) return seen;
    return nullptr;
  }

  void quantize(Node& node, const std::array<const HeadMagnitudes*, cache_parts>& seen) {
    graph_.resize_inputs(node, std::max(node.input_count(), first_cache_scale + cache_parts));
    std::string changed;
    const DType floats = stored_past(node, 0).dtype();
    for (std::size_t i = 0; i < cache_parts; ++i) {
      remove_casts(node, i);
      const char* const part = i == 0 ? "_k_scale" : "_v_scale";
      Value& scale = graph_.add_initializer(scales(*seen[i]), std::string(node.output(0)->name()) + part);
      [[maybe_unused]] const bool is_set = graph_.set_input(node, first_cache_scale + i, &scale);
      for (Value* const value : {node.input(first_past + i), node.output(first_present + i)}) {
        retype(*value, static_cast<std::int64_t>(seen[i]->size()));
        changed += (changed.empty() ? "" : ", ") + std::string(value->name());
      }
      graph_.set_attribute(node, {i == 0 ? "k_quant_type" : "v_quant_type", "PER_CHANNEL"});
    }
    graph_.set_attribute(node, {"kv_cache_bit_width", bits_});
    report_.notes.push_back(changed + ": " + std::string(to_string(stored())) + " " +
                            to_string(node.input(first_past)->shape()) + ", were " + std::string(to_string(floats)));
  }

  /// Connects the node with the caches of the graph.
  void remove_casts(Node& node, std::size_t part) {
    Value &past = stored_past(node, part), &present = stored_present(node, part);
    if (Value* const read = node.input(first_past + part); read != &past) {
      [[maybe_unused]] const bool is_set = graph_.set_input(node, first_past + part, &past);
      graph_.erase(*read->producer());
    }
    if (Value* const made = node.output(first_present + part); made != &present) {
      const std::string name(present.name());
      Node& cast = *present.producer();
      graph_.declare_type(*made, tensor_type(DType::f32, present.shape()));
      graph_.set_output(present.uses().front().index(), *made);
      graph_.erase(cast);
      graph_.rename(*made, name);
    }
  }

  /// [1, heads, 1, size]. A feature that is 0 on all samples has the greatest scale of its head.
  Tensor scales(const HeadMagnitudes& seen) const {
    const float highest = bits_ == 8 ? 127 : 7;
    std::vector<float> each = seen.each();
    for (auto head = each.begin(); head != each.end(); head += static_cast<std::ptrdiff_t>(seen.size())) {
      const auto end = head + static_cast<std::ptrdiff_t>(seen.size());
      const float greatest = *std::max_element(head, end), fallback = greatest == 0 ? highest : greatest;
      std::replace(head, end, 0.0F, fallback);
      std::transform(head, end, head, [&](float magnitude) { return magnitude / highest; });
    }
    return Tensor::of<float>({1, static_cast<std::int64_t>(seen.heads()), 1, static_cast<std::int64_t>(seen.size())},
                             each);
  }

  DType stored() const { return bits_ == 8 ? DType::i8 : DType::u8; }

  void retype(Value& value, std::int64_t size) const {
    const Shape shape = value.shape();
    std::vector<Dim> dims;
    for (std::size_t axis = 0; shape.known() && axis < shape.rank(); ++axis) dims.push_back(shape[axis]);
    if (bits_ == 4 && dims.size() == 4) dims[3] = Dim((size + 1) / 2);
    graph_.declare_type(value, tensor_type(stored(), shape.known() ? Shape(std::move(dims)) : Shape()));
  }

  Graph& graph_;
  int bits_;
  Report& report_;
  std::vector<Node*> nodes_;
  std::list<CacheGroup> groups_;  // of stable addresses
};

}  // namespace detail

GRAFT_INLINE std::optional<Release> first_release_with_cache(const Target& target, int bits) {
  for (const TargetChange& change : target.changes) {
    if (!change.cache_bits || !detail::takes_cache(*change.cache_bits, bits)) continue;
    Release since = change.since;
    for (const KnownFault& known : target.faults)
      if (known.fault == Fault::dropped_cache_bias && known.mended) since = std::max(since, *known.mended);
    return since;
  }
  return std::nullopt;
}

GRAFT_INLINE void check_cache(const Target& target, int bits) {
  if (detail::takes_cache(target.cache_bits, bits)) return;
  const std::string name(target.name);
  std::string text = "'" + name + "' has no attention with a cache of " + std::to_string(bits) + " bits";
  if (const std::optional<Release> since = first_release_with_cache(target, bits))
    text += "; release " + to_string(*since) + " has: '" + name + "@" + to_string(*since) + "'";
  throw Error(text).field("target");
}

GRAFT_INLINE std::string why_caches_stay(const Graph& graph, const Target& target, int bits) {
  std::string first;
  for (const Node& node : graph.nodes()) {
    if (!detail::has_cache(node)) continue;
    const std::string why = detail::why_cache_in_float(node, target, bits);
    if (why.empty()) return {};
    if (first.empty()) first = detail::stays_in_float(node, why);
  }
  return first.empty() ? std::string(detail::no_cache) : first;
}

GRAFT_INLINE Pass quantize_cache(const Target& target, int bits, SampleSource samples, ExecutorFactory make_executor) {
  check_cache(target, bits);
  return pass("quantize_cache", [target, bits, samples = std::move(samples), make_executor = std::move(make_executor)](
                                    Graph& graph, Context& context) {
    Report report;
    detail::CacheQuantizer quantizer(graph, target, bits, report);
    if (quantizer.empty()) {
      if (report.notes.empty()) report.notes.emplace_back(detail::no_cache);
      return report;
    }
    Report runs = quantizer.observe(samples, make_executor, context);
    if (runs.outcome != Outcome::cancelled) quantizer.quantize();
    runs.changes = report.changes;
    runs.notes.insert(runs.notes.begin(), report.notes.begin(), report.notes.end());
    return runs;
  });
}

}  // namespace graft::inline v1
