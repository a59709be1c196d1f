#pragma once
#include <graft/quantize/tune/detail/block_reconstructor.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/memory.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/detail/share_parts.hpp>

namespace graft::inline v1::detail {

/// The scale of a pair between two layers of the block belongs to no other operator. The bounds of a Relu or Clip
/// between them hold for a smaller range.
inline StepRule rule_of(const BlockTape::Quantizer& quantizer, const std::unordered_set<const Node*>& layers) {
  const Node& quantize = *paired_quantize(*quantizer.dequantize);
  const auto is_of_layer = [&](const Use& use) { return layers.contains(use.user()) && use.index() == 0; };
  const Value* x = quantize.input(0);
  if (x->producer() == nullptr || x->use_count() != 1 || quantize.output(0)->use_count() != 1 ||
      quantizer.dequantize->input(0)->use_count() != 1 ||
      !std::ranges::all_of(quantizer.dequantize->output(0)->uses(), is_of_layer))
    return StepRule::fixed;
  const bool is_activated = x->producer()->is("Relu") || x->producer()->is("Clip");
  if (is_activated) x = x->producer()->input(0);
  if (x->use_count() != 1 || !layers.contains(x->producer())) return StepRule::fixed;
  return is_activated ? StepRule::may_shrink : StepRule::free;
}

GRAFT_INLINE BlockReconstructor::BlockReconstructor(Graph& graph, const Graph& floats, const LiveValues& float_live,
                                                    const Reconstruction& options, std::size_t samples,
                                                    const ExecutorFactory& make_executor, const Context& context,
                                                    const ParallelFor* parallel)
    : graph_(graph),
      floats_(floats),
      float_live_(float_live),
      options_(options),
      samples_(samples),
      make_executor_(make_executor),
      context_(context),
      parallel_(parallel) {
  for (Node& node : graph.nodes()) nodes_.push_back(&node);
}

GRAFT_INLINE Verdict BlockReconstructor::learn(const BlockSpan& span, std::span<const BlockLayer> layers,
                                               const Frontier& start, const Frontier& wanted,
                                               AnyExecutor& float_executor, double seconds,
                                               ReconstructedLayers::Block& found) const {
  LearnedBlock before;
  std::unordered_set<const Node*> nodes;
  for (const BlockLayer& layer : layers) {
    before.weights.push_back(layer.read());
    nodes.insert(layer.node);
  }
  const BlockTape tape(std::span<Node* const>(nodes_).subspan(span.first, span.last - span.first), *span.output,
                       before.parameters());
  if (!tape.verdict()) return tape.verdict();
  std::vector<StepRule> rules;
  for (const BlockTape::Quantizer& quantizer : tape.quantizers()) {
    before.scales.push_back(quantizer.scale);
    rules.push_back(rule_of(quantizer, nodes));
  }
  Samples samples;
  if (const Verdict verdict = gather(tape, *span.output, start, wanted, float_executor, samples); !verdict)
    return verdict;
  // Four samples are learned from at a time, with gradients; as many as there are threads are compared.
  const auto at_a_time = static_cast<double>(std::max<std::size_t>(8, context_.threads));
  const auto working = static_cast<double>(tape.working_bytes(samples.unseen.front().inputs, before.rounded()));
  if (at_a_time * working > least(options_.ranks, static_cast<double>(physical_memory() / 2)))
    return Verdict::no("its tensors exceed half of the memory");

  BlockSchedule schedule{.steps = options_.block_steps, .seed = options_.seed, .drop = options_.drop, .progress = {}};
  schedule.progress = [&, begin = std::chrono::steady_clock::now()](std::size_t step) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    const double done = static_cast<double>(step) / static_cast<double>(options_.block_steps);
    return context_.is_cancelled() ? 1.0 : std::max(done, passed.count() / seconds);
  };
  const Ranks& ranks = options_.ranks;
  const LearnedBlock after = learn_block(tape, before, rules, samples.seen, schedule, ranks, parallel_);
  found.is_complete = after.steps == options_.block_steps;
  if (!on_all(ranks, !context_.is_cancelled())) return Verdict::no("it was cancelled");
  found.noise_before = block_error(tape, before, samples.unseen, ranks, parallel_);
  found.noise_after = block_error(tape, after, samples.unseen, ranks, parallel_);
  if (!(found.noise_after < found.noise_before)) return Verdict::no("other integers are not better");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i] == StepRule::fixed) continue;
    Node* const dequantize = tape.quantizers()[i].dequantize;
    Node* const quantize = paired_quantize(*dequantize);
    Value* const old = dequantize->input(1);
    replace_constant(*quantize, 1, Tensor::of<float>(old->constant()->dims(), {after.scales[i]}),
                     std::string(old->name()));
    rewire(*dequantize, 1, *quantize->input(1));
    drop_unused(old);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].store(after.weights[i]);
  return Verdict::yes();
}

GRAFT_INLINE Verdict BlockReconstructor::gather(const BlockTape& tape, const Value& output, const Frontier& start,
                                                const Frontier& wanted, AnyExecutor& float_executor,
                                                Samples& samples) const {
  const Value* const value = float_value(output);
  if (value == nullptr || value->producer() == nullptr) return Verdict::no("the float graph has no such tensor");
  if (float_live_.place_of(*value->producer()) + 1 < wanted.place())
    return Verdict::no("the float graph has another order");
  AnyExecutor executor = make_executor_(graph_);  // its layers have changed
  Fetches fetches(tape.inputs().begin(), tape.inputs().end());
  fetches.emplace_back(output);
  const auto sample_of = [&](std::size_t i) {
    const std::size_t own = i / options_.ranks.count;
    BlockSample sample{start.run(own, graph_, executor, fetches),
                       wanted.run(own, floats_, float_executor, {value}).front()};
    const Tensor now = std::move(sample.inputs.back());
    sample.inputs.pop_back();
    if (sample.wanted.dtype() != DType::f32 || sample.wanted.dims() != now.dims())
      throw Error("its output has other dims than in the float graph");
    return sample;
  };
  const bool holds_out = samples_ >= 4;
  const double max_bytes =
      least(options_.ranks, static_cast<double>(std::min(std::size_t{1} << 30, physical_memory() / 4)));
  double bytes = 0;
  share_parts(options_.ranks, samples_, sample_of, [&](std::size_t i, BlockSample sample) {
    bytes += static_cast<double>(sample.wanted.bytes().size());
    for (const Tensor& tensor : sample.inputs) bytes += static_cast<double>(tensor.bytes().size());
    if (bytes > max_bytes) throw Error("its tensors exceed a quarter of the memory, or 1 GiB");
    (holds_out && i % 4 == 3 ? samples.unseen : samples.seen).push_back(std::move(sample));
  });
  if (!holds_out) samples.unseen = samples.seen;
  return Verdict::yes();
}

GRAFT_INLINE const Value* BlockReconstructor::float_value(const Value& value) const {
  const Node* const dequantize = value.producer();
  const Node* const quantize =
      dequantize != nullptr && is_dequantize(*dequantize) ? paired_quantize(*dequantize) : nullptr;
  const Value* const found = quantize != nullptr ? floats_.find(quantize->input(0)->name()) : nullptr;
  return found != nullptr ? found : floats_.find(value.name());
}

}  // namespace graft::inline v1::detail
