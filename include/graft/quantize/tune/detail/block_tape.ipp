#pragma once
#include <graft/quantize/tune/detail/block_tape.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <onnx/onnx_pb.h>

#include <graft/config.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/detail/byte_lists.hpp>
#include <graft/quantize/tune/detail/block_weight.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>

namespace graft::inline v1::detail {

inline void add_to(std::vector<float>& sum, std::span<const float> more) {
  if (sum.empty()) sum.assign(more.begin(), more.end());
  else std::transform(sum.begin(), sum.end(), more.begin(), sum.begin(), std::plus<>());
}

GRAFT_INLINE void BlockGradients::add(const BlockGradients& more) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!more.parameters[i].empty()) add_to(parameters[i], more.parameters[i]);
  for (std::size_t i = 0; i < scales.size(); ++i) scales[i] += more.scales[i];
}

GRAFT_INLINE std::string to_bytes(const BlockGradients& gradients) {
  std::string bytes;
  append_list(bytes, gradients.scales);
  for (const std::vector<float>& parameter : gradients.parameters) append_list(bytes, parameter);
  return bytes;
}

GRAFT_INLINE void from_bytes(std::string_view bytes, BlockGradients& gradients) {
  gradients.scales = take_list<std::vector<double>>(bytes);
  gradients.parameters.clear();
  while (!bytes.empty()) gradients.parameters.push_back(take_list<std::vector<float>>(bytes));
}

/// Integers, such as a shape, and booleans have none.
inline bool has_gradient(const Value& value) { return !is_integer(value.dtype()) && value.dtype() != DType::boolean; }

/// Whether quantizer_of() reads it.
inline Verdict is_quantizer(const Node& dequantize) {
  const std::optional<QParams> q = qparams_of(dequantize);
  if (!q) return Verdict::no("a DequantizeLinear has several scales, or computed ones");
  if (q->is_float8()) return Verdict::no("a DequantizeLinear reads float8");
  if (paired_quantize(dequantize) == nullptr)
    return Verdict::no("a DequantizeLinear has no QuantizeLinear with the same scale");
  return Verdict::yes();
}

inline BlockTape::Quantizer quantizer_of(Node& dequantize) {
  const QParams q = *qparams_of(dequantize);
  BlockTape::Quantizer result{&dequantize, q.scale, static_cast<float>(q.zero_point), static_cast<float>(q.lowest()),
                              static_cast<float>(q.highest())};
  const Node& clip = *dequantize.input(0)->producer();
  if (clip.is("Clip")) {
    const std::optional<Tensor> lowest = constant_input(clip, 1), highest = constant_input(clip, 2);
    if (lowest) result.lowest = std::max(result.lowest, lowest->to<float>()[0]);
    if (highest) result.highest = std::min(result.highest, highest->to<float>()[0]);
  }
  return result;
}

inline Model matmul_alone() {
  onnx::ModelProto proto;
  proto.set_ir_version(8);
  proto.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *proto.mutable_graph();
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("MatMul");
  for (const char* const name : {"a", "b"}) {
    graph.add_input()->set_name(name);
    node.add_input(name);
  }
  node.add_output("y");
  graph.add_output()->set_name("y");
  return Model(std::move(proto));
}

GRAFT_INLINE BlockTape::BlockTape(std::span<Node* const> nodes, const Value& output,
                                  std::span<const Value* const> parameters)
    : product_(matmul_alone()), parameters_(parameters.begin(), parameters.end()) {
  verdict_ = record(nodes, output);
  if (verdict_) prune();
}

GRAFT_INLINE Verdict BlockTape::record(std::span<Node* const> nodes, const Value& output) {
  std::unordered_map<const Value*, std::size_t> numbers;
  std::unordered_set<const Value*> reached(parameters_.begin(), parameters_.end()), in_pairs;
  const auto number = [&](const Value* value) {
    if (value == nullptr) return none;
    const auto [place, is_new] = numbers.emplace(value, numbers.size());
    if (!is_new) return place->second;
    constants_.emplace_back();
    if (reached.contains(value)) return place->second;
    if (value->is_constant()) {
      constants_.back() = value->constant().value_or(Tensor());
    } else {
      inputs_.push_back(value);
      input_numbers_.push_back(place->second);
    }
    return place->second;
  };
  const std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
  const auto is_reached = [&](const Value* value) { return reached.contains(value); };
  for (const Value* const parameter : parameters_) number(parameter);
  for (Node* const node : nodes) {
    if (std::ranges::none_of(node->inputs(), is_reached) || is_reached(node->output(0))) continue;
    for (const Value& result : node->outputs()) {
      reached.insert(&result);
      for (const Use& use : result.uses())
        if (&use.graph() != &node->graph() && inside.contains(reader_in(node->graph(), use)))
          return Verdict::no("a body reads a tensor of it");
    }
    Step step{.node = node};
    if (is_dequantize(*node)) {
      if (Verdict verdict = is_quantizer(*node); !verdict) return verdict;
      step.inputs = {number(paired_quantize(*node)->input(0))};
      step.wanted = {true};
      step.quantizer = quantizers_.size();
      quantizers_.push_back(quantizer_of(*node));
    } else if (is_quantize(*node) || (node->is("Clip") && is_integer(node->input(0)->dtype()))) {
      in_pairs.insert(node->output(0));
      continue;
    } else {
      std::vector<const Value*> inputs(node->inputs().begin(), node->inputs().end());
      if (const std::optional<BlockMatrix> blocks = is_nbits(*node) ? read_block_weight(*node) : std::nullopt) {
        step.node = &product_.graph().nodes().front();
        inputs.resize(2);
        const std::size_t weight = number(inputs[1]);
        if (!is_reached(inputs[1])) constants_[weight] = float_matrix(*blocks);
      }
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (in_pairs.contains(inputs[i])) return Verdict::no("an operator reads the integers of a quantizer");
        step.inputs.push_back(number(inputs[i]));
        step.wanted.push_back(is_reached(inputs[i]) && has_gradient(*step.node->input(i)));
      }
    }
    for (const Value& result : node->outputs()) step.outputs.push_back(number(&result));
    steps_.push_back(std::move(step));
  }
  output_ = number(&output);
  return is_reached(&output) ? Verdict::yes() : Verdict::no("its output does not depend on its weights");
}

/// Removes the steps that the output does not depend on.
GRAFT_INLINE void BlockTape::prune() {
  std::vector<bool> is_read(constants_.size());
  is_read[output_] = true;
  std::vector<Step> kept;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    Step& step = steps_[i];
    if (std::ranges::none_of(step.outputs, [&](std::size_t at) { return is_read[at]; })) continue;
    bool needs_backward = false;
    for (std::size_t n = 0; n < step.outputs.size(); ++n)
      needs_backward |= is_read[step.outputs[n]] && has_gradient(*step.node->output(n));
    needs_backward &= std::ranges::find(step.wanted, true) != step.wanted.end();
    if (step.quantizer == none && needs_backward && !has_backward(*step.node))
      verdict_ = Verdict::no(Reason{.text = "no gradient of {name}", .name = step.node->op_type()});
    for (const std::size_t at : step.inputs)
      if (at != none) is_read[at] = true;
    kept.push_back(std::move(step));
  }
  std::ranges::reverse(kept);
  steps_ = std::move(kept);
}

GRAFT_INLINE std::vector<Tensor> BlockTape::run(const std::vector<Tensor>& inputs, const BlockPoint& point, double drop,
                                                std::mt19937* random, Dropped& dropped) const {
  std::vector<Tensor> tensors = constants_;
  std::ranges::copy(point.parameters, tensors.begin());
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors[input_numbers_[i]] = inputs[i];
  dropped.resize(quantizers_.size());
  const auto least_kept = static_cast<std::uint32_t>(drop * 0xFFFFFFFFU);
  for (const Step& step : steps_) {
    if (step.quantizer == none) {
      std::vector<Tensor> arguments;
      for (const std::size_t at : step.inputs) arguments.push_back(at != none ? tensors[at] : Tensor());
      std::vector<Tensor> results = evaluate(*step.node, std::move(arguments));
      for (std::size_t i = 0; i < results.size(); ++i) tensors[step.outputs[i]] = std::move(results[i]);
      continue;
    }
    const Quantizer& q = quantizers_[step.quantizer];
    const float scale = point.scales[step.quantizer];
    const Tensor& x = tensors[step.inputs[0]];
    std::vector<float> values = x.to<float>();
    std::vector<bool>& is_dropped = dropped[step.quantizer];
    if (drop > 0) is_dropped.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (drop > 0 && (is_dropped[i] = (*random)() < least_kept)) continue;
      const float code = std::nearbyint(values[i] / scale) + q.zero_point;
      values[i] = (std::clamp(code, q.lowest, q.highest) - q.zero_point) * scale;
    }
    tensors[step.outputs[0]] = Tensor::of<float>(x.dims(), values);
  }
  return tensors;
}

GRAFT_INLINE std::size_t BlockTape::working_bytes(const std::vector<Tensor>& inputs, const BlockPoint& point) const {
  Dropped dropped;
  std::size_t bytes = 0;
  for (const Tensor& tensor : run(inputs, point, 0, nullptr, dropped)) bytes += tensor.bytes().size();
  return bytes;
}

GRAFT_INLINE Tensor BlockTape::output(const std::vector<Tensor>& inputs, const BlockPoint& point) const {
  Dropped dropped;
  return run(inputs, point, 0, nullptr, dropped)[output_];
}

GRAFT_INLINE void BlockTape::add_gradients(const std::vector<Tensor>& inputs, const Tensor& wanted,
                                           const BlockPoint& point, double drop, std::mt19937& random,
                                           BlockGradients& gradients) const {
  Dropped dropped;
  const std::vector<Tensor> tensors = run(inputs, point, drop, &random, dropped);
  std::vector<std::vector<float>> slopes(tensors.size());
  const std::span<const float> got = tensors[output_].data<float>(), should = wanted.data<float>();
  slopes[output_].reserve(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) slopes[output_].push_back(2 * (got[i] - should[i]));
  for (std::size_t n = steps_.size(); n-- > 0;) {
    const Step& step = steps_[n];
    if (std::ranges::all_of(step.outputs, [&](std::size_t at) { return slopes[at].empty(); })) continue;
    if (step.quantizer != none) {
      const Quantizer& q = quantizers_[step.quantizer];
      const float scale = point.scales[step.quantizer];
      const std::vector<bool>& is_dropped = dropped[step.quantizer];
      const std::span<const float> x = tensors[step.inputs[0]].data<float>();
      std::vector<float> slope = std::move(slopes[step.outputs[0]]);
      double of_scale = 0;
      for (std::size_t i = 0; i < slope.size(); ++i) {
        if (!is_dropped.empty() && is_dropped[i]) continue;
        const float exact = x[i] / scale, code = std::nearbyint(exact) + q.zero_point;
        if (code >= q.lowest && code <= q.highest) {
          of_scale += double{slope[i]} * (code - q.zero_point - exact);
        } else {
          of_scale += double{slope[i]} * (std::clamp(code, q.lowest, q.highest) - q.zero_point);
          slope[i] = 0;
        }
      }
      gradients.scales[step.quantizer] += of_scale;
      add_to(slopes[step.inputs[0]], slope);
      continue;
    }
    if (std::ranges::find(step.wanted, true) == step.wanted.end()) continue;
    std::vector<Tensor> arguments, results, of_results;
    for (const std::size_t at : step.inputs) arguments.push_back(at != none ? tensors[at] : Tensor());
    for (const std::size_t at : step.outputs) {
      results.push_back(tensors[at]);
      of_results.push_back(slopes[at].empty() ? Tensor() : Tensor::of<float>(tensors[at].dims(), slopes[at]));
      slopes[at] = {};
    }
    const std::vector<Tensor> found = backward(*step.node, arguments, results, of_results, step.wanted);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (step.wanted[i] && found[i]) add_to(slopes[step.inputs[i]], found[i].data<float>());
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!slopes[i].empty()) add_to(gradients.parameters[i], slopes[i]);
}

}  // namespace graft::inline v1::detail
