#pragma once
#include <graft/qdq/symmetric_int8.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/qdq/range.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {

namespace detail::symmetric {

/// With the least scale that reaches both ends of the range. Of uint8 around 128 the integers are shifted.
inline QParams symmetric_of(const QParams& q) {
  if (q.dtype == DType::u8 && q.zero_point == 128) return {q.scale, 0, DType::i8};
  const double steps = std::max(q.zero_point - q.lowest(), q.highest() - q.zero_point);
  return {to_scale(steps * static_cast<double>(q.scale) / 127, 128), 0, DType::i8};
}

inline bool is_asymmetric(DType dtype, bool has_zero_point_0) {
  return dtype == DType::u8 || (dtype == DType::i8 && !has_zero_point_0);
}

inline Tensor dequantized(const Node& dequantize) {
  std::vector<Tensor> inputs;
  for (const Value* const input : dequantize.inputs())
    inputs.push_back(input != nullptr ? input->constant().value() : Tensor());
  return evaluate(dequantize, std::move(inputs)).front();
}

inline bool make_bias_float(Node& dequantize) {
  if (!is_dequantize(dequantize) || quantized_dtype(dequantize) != DType::i32) return false;
  for (const Value* const input : dequantize.inputs())
    if (input != nullptr && !input->is_constant()) return false;
  Value& result = *dequantize.output(0);
  if (result.is_graph_output()) return false;
  Graph& graph = dequantize.graph();
  Value& constant = graph.add_initializer(dequantized(dequantize), result.name());
  if (!graph.replace_uses(result, constant)) return false;
  drop_unused(&result);
  return true;
}

/// Counts the nodes of every scope that change(node, biases) changes. It may erase the node and nodes before it. The
/// biases that it adds become float.
template <class Change>
Pass changing_quantizers(const std::string& name, Change change) {
  return on_typed_graph(name, pass(name, [change](Graph& graph, Context&) {
    Report report;
    std::vector<Node*> biases;
    for (Graph* const scope : scopes_of(graph))
      for (Node& node : scope->nodes()) report.changes += change(node, biases);
    for (Node* const bias : biases)
      if (!bias->erased()) report.changes += make_bias_float(*bias);
    return report;
  }));
}

/// Adds the producers of the biases of the products of a tensor whose scale changes. The scale of an int32 bias is that
/// of input and weight multiplied.
inline void add_biases(const Node& dequantize, std::vector<Node*>& biases) {
  std::vector<const Value*> values{dequantize.output(0)};
  while (!values.empty()) {
    const Value& value = *values.back();
    values.pop_back();
    for (const Use& use : value.uses()) {
      const Node* const user = use.user();
      if (user == nullptr || use.index() > 1) continue;
      if (use.index() == 0 && takes_elements(*user)) values.push_back(user->output(0));
      const Value* const bias = facts_of(*user).weight_axis >= 0 ? user->input(2) : nullptr;
      if (bias != nullptr && bias->producer() != nullptr) biases.push_back(bias->producer());
    }
  }
}

/// The DequantizeLinear that read the integers of a QuantizeLinear of one scale; empty if others read them, or differ.
inline std::vector<Node*> readers_of_pair(const Node& quantize, const QParams& q) {
  std::vector<Node*> readers;
  for (const Use& use : quantize.output(0)->uses()) {
    Node* const reader = use.user();
    if (reader == nullptr || use.index() != 0 || !is_dequantize(*reader) || qparams_of(*reader) != q) return {};
    readers.push_back(reader);
  }
  return readers;
}

inline bool is_never_negative(const Value& value) {
  constexpr std::array<std::string_view, 7> ops{"Relu", "Sigmoid", "Softmax", "HardSigmoid", "Abs", "Exp", "Softplus"};
  const Node* maker = value.producer();
  while (maker != nullptr && maker->input_count() != 0 && takes_elements(*maker) && maker->output(0) != nullptr)
    maker = maker->input(0) != nullptr ? maker->input(0)->producer() : nullptr;
  return maker != nullptr && maker->domain().empty() && std::ranges::find(ops, maker->op_type()) != ops.end();
}

/// Sets a constant input; this cannot close a cycle.
inline void set_input(Node& quantizer, std::size_t input, Value& constant) {
  Graph& graph = quantizer.graph();
  if (quantizer.input_count() <= input) graph.resize_inputs(quantizer, input + 1);
  if (!graph.set_input(quantizer, input, &constant))
    throw Error("cannot read a constant").node(quantizer.name()).field(constant.name());
}

inline void set_qparams(Node& quantizer, Value& scale, Value& zero_point) {
  Graph& graph = quantizer.graph();
  std::vector<Value*> old{quantizer.input(1), quantizer.input_count() > 2 ? quantizer.input(2) : nullptr};
  set_input(quantizer, 1, scale);
  set_input(quantizer, 2, zero_point);
  graph.remove_attribute(quantizer, "output_dtype");
  for (Value* const value : old) drop_unused(value);
}

/// Clips what the pair rounds to its range, if the symmetric one reaches further by more than a step.
inline void keep_ends(Node& quantize, const QParams& q, const QParams& symmetric) {
  Graph& graph = quantize.graph();
  Value& x = *quantize.input(0);
  const Range range = q.range();
  const float reach = 127 * symmetric.scale;
  const bool has_min = reach + range.min > symmetric.scale && !is_never_negative(x);
  const bool has_max = reach - range.max > symmetric.scale;
  if (!has_min && !has_max) return;
  const std::string hint(x.name());
  const auto insert = [&](std::string_view op, std::initializer_list<Value*> inputs, Attributes attributes = {}) {
    Node& node = graph.insert(op, inputs, 1, std::move(attributes), &quantize, hint + "_clipped");
    if (x.type() != nullptr) graph.set_type(*node.output(0), *x.type());
    rewire(quantize, 0, *node.output(0));
  };
  if (range.min == 0) return insert("Relu", {&x});
  if (graph.opset() < 11) return insert("Clip", {&x}, {{"min", range.min}, {"max", range.max}});
  insert("Clip", {&x, &graph.add_initializer(Tensor::scalar(range.min), hint + "_min"),
                  &graph.add_initializer(Tensor::scalar(range.max), hint + "_max")});
}

/// Both sides of a pair in int8 around 0; false if it is that already, or must stay.
inline bool make_symmetric(Node& quantize, std::vector<Node*>& biases) {
  const std::optional<QParams> q = qparams_of(quantize);
  if (!q || !is_asymmetric(q->dtype, q->zero_point == 0) || quantize.input(0) == nullptr) return false;
  const std::vector<Node*> readers = readers_of_pair(quantize, *q);
  if (readers.empty()) return false;
  Graph& graph = quantize.graph();
  Value& x = *quantize.input(0);
  const QParams symmetric = symmetric_of(*q);
  keep_ends(quantize, *q, symmetric);
  const std::string hint(x.name());
  Value& scale = graph.add_initializer(Tensor::scalar(symmetric.scale), hint + "_scale");
  Value& zero_point = graph.add_initializer(Tensor::scalar(std::int8_t{0}), hint + "_zero_point");
  set_qparams(quantize, scale, zero_point);
  for (Node* const reader : readers) {
    set_qparams(*reader, scale, zero_point);
    if (symmetric.scale != q->scale) add_biases(*reader, biases);
  }
  graph.set_type(*quantize.output(0), tensor_type(DType::i8, x.shape()));
  return true;
}

/// The node dequantizes this constant instead of its own.
inline void replace_constant(Node& dequantize, QuantizedTensor tensor) {
  Graph& graph = dequantize.graph();
  const std::vector<Value*> old(dequantize.inputs().begin(), dequantize.inputs().end());
  const std::optional<std::size_t> axis = tensor.axis;
  const QuantizedConstant constant = add_quantized(graph, std::move(tensor), old[0]->name());
  rewire(dequantize, 0, *constant.data);
  rewire(dequantize, 1, *constant.scale);
  set_input(dequantize, 2, *constant.zero_point);
  if (axis) graph.set_attribute(dequantize, Attribute("axis", static_cast<std::int64_t>(*axis)));
  for (Value* const value : old) drop_unused(value);
}

/// A constant of 8 bits with other zero points than 0.
inline bool make_constant_symmetric(Node& dequantize, std::vector<Node*>& biases) {
  const std::optional<QuantizedTensor> given = quantized_constant(dequantize);
  if (!given) return false;
  const std::vector<std::int32_t> zero_points = given->zero_point.to<std::int32_t>();
  const auto are_all = [&](std::int32_t wanted) {
    return std::ranges::all_of(zero_points, [=](std::int32_t zero) { return zero == wanted; });
  };
  const DType dtype = given->data.dtype();
  if (!is_asymmetric(dtype, are_all(0))) return false;
  if (dtype == DType::u8 && are_all(128)) {
    std::vector<std::int32_t> codes = given->data.to<std::int32_t>();
    for (std::int32_t& code : codes) code -= 128;
    const std::vector<std::int32_t> zeros(zero_points.size());
    replace_constant(dequantize, {Tensor::of<std::int32_t>(DType::i8, given->data.dims(), codes), given->scale,
                                  Tensor::of<std::int32_t>(DType::i8, given->scale.dims(), zeros), given->axis});
    return true;
  }
  replace_constant(dequantize, quantize_tensor(dequantized(dequantize), DType::i8, given->axis));
  add_biases(dequantize, biases);
  return true;
}

inline bool state(Node& quantizer) {
  if ((!is_quantize(quantizer) && !is_dequantize(quantizer)) || quantizer.input(1) == nullptr) return false;
  Graph& graph = quantizer.graph();
  const Shape scale = quantizer.input(1)->shape();
  bool changes = false;
  const bool is_list = scale.rank() == 1 && scale[0] != Dim(1) && quantizer.opset() >= 13;
  if (is_list && quantizer.attribute("axis") == nullptr) {
    graph.set_attribute(quantizer, Attribute("axis", std::int64_t{1}));
    changes = true;
  }
  const DType dtype = quantized_dtype(quantizer);
  const std::optional<Tensor> scales = constant_input(quantizer, 1);
  if (quantizer.input(2) == nullptr && scales && is_integer(dtype) && dtype != DType::i32) {
    const std::string hint = std::string(quantizer.input(1)->name()) + "_zero_point";
    Value& zero = graph.add_initializer(Tensor(dtype, scales->dims()), hint);
    set_input(quantizer, 2, zero);
    changes = true;
  }
  return changes;
}

/// The output channels of a constant weight.
inline std::optional<std::size_t> output_axis(const Node& product, std::size_t rank) {
  const int axis = facts_of(product).weight_axis;
  if (axis < 0 || (product.is("MatMul") && rank != 2)) return std::nullopt;
  const bool is_turned = product.is("Gemm") && product.attr<std::int64_t>("transB").value_or(0) != 0;
  const auto place = static_cast<std::size_t>(is_turned ? 1 - axis : axis);
  return place < rank ? std::optional(place) : std::nullopt;
}

inline bool turn_to_outputs(Node& dequantize, std::vector<Node*>& biases) {
  if (!is_dequantize(dequantize)) return false;
  const std::optional<QuantizedTensor> given = quantized_constant(dequantize);
  if (!given || !given->axis || (given->data.dtype() != DType::i8 && given->data.dtype() != DType::u8)) return false;
  std::optional<std::size_t> wanted;
  for (const Use& use : dequantize.output(0)->uses()) {
    if (use.user() == nullptr || use.index() != 1) return false;
    const std::optional<std::size_t> axis = output_axis(*use.user(), given->data.rank());
    if (!axis || (wanted && *wanted != *axis)) return false;
    wanted = axis;
  }
  if (!wanted || *wanted == *given->axis) return false;
  replace_constant(dequantize, quantize_tensor(dequantized(dequantize), DType::i8, wanted));
  add_biases(dequantize, biases);
  return true;
}

inline bool is_activation(const Node& node) {
  constexpr std::array<std::string_view, 9> ops{"Relu",    "Clip", "LeakyRelu",   "Sigmoid", "Tanh",
                                                "HardSwish", "Elu",  "HardSigmoid", "Mish"};
  return node.domain().empty() && std::ranges::find(ops, node.op_type()) != ops.end();
}

inline Node* sole_reader(const Value& value) {
  return value.has_one_use() && !value.is_graph_output() ? value.uses().front().user() : nullptr;
}

/// Whether a pair does the work of a Relu or Clip: an end of its range is 0.
inline bool clips(const QParams& q) { return q.zero_point == q.lowest() || q.zero_point == q.highest(); }

/// Whether a Relu and the pair behind it clip as a pair in front of the Relu does.
inline bool clips_alike(const Node& activation, const Node& quantize, const QParams& q) {
  const std::optional<QParams> behind = qparams_of(quantize);
  return activation.is("Relu") && behind && behind->range().max <= q.range().max;
}

inline bool move_behind_activation(Node& dequantize) {
  Node* const quantize = is_dequantize(dequantize) ? paired_quantize(dequantize) : nullptr;
  if (quantize == nullptr || sole_reader(*quantize->output(0)) != &dequantize) return false;
  Value& x = *quantize->input(0);
  const Node* const product = x.producer();
  if (product == nullptr || facts_of(*product).weight_axis < 0 || sole_reader(x) != quantize) return false;
  Node* const activation = sole_reader(*dequantize.output(0));
  if (activation == nullptr || !is_activation(*activation) || activation->input(0) != dequantize.output(0) ||
      &activation->graph() != &dequantize.graph())
    return false;
  Value& y = *activation->output(0);
  const Node* const reader = sole_reader(y);
  const bool has_pair_behind = reader != nullptr && is_quantize(*reader);
  const QParams q = *qparams_of(*quantize);
  if (!has_pair_behind && !(activation->is("Relu") && q.zero_point == 0)) return false;
  if (has_pair_behind && clips(q) && !clips_alike(*activation, *reader, q)) return false;
  Value* const unused = activation->input(0);
  rewire(*activation, 0, x);
  drop_unused(unused);
  if (!has_pair_behind) insert_qdq(y, q, true);
  return true;
}

}  // namespace detail::symmetric

GRAFT_INLINE Pass symmetric_int8() {
  return detail::symmetric::changing_quantizers("symmetric_int8", [](Node& node, std::vector<Node*>& biases) {
    if (is_quantize(node)) return detail::symmetric::make_symmetric(node, biases);
    return is_dequantize(node) && detail::symmetric::make_constant_symmetric(node, biases);
  });
}

GRAFT_INLINE Pass float_biases() {
  return detail::symmetric::changing_quantizers(
      "float_biases", [](Node& node, std::vector<Node*>&) { return detail::symmetric::make_bias_float(node); });
}

GRAFT_INLINE Pass state_quantizers() {
  return detail::symmetric::changing_quantizers(
      "state_quantizers", [](Node& node, std::vector<Node*>&) { return detail::symmetric::state(node); });
}

GRAFT_INLINE Pass quantize_along_outputs() {
  return detail::symmetric::changing_quantizers("quantize_along_outputs", detail::symmetric::turn_to_outputs);
}

GRAFT_INLINE Pass quantize_behind_activations() {
  return detail::symmetric::changing_quantizers("quantize_behind_activations", [](Node& node, std::vector<Node*>&) {
    return detail::symmetric::move_behind_activation(node);
  });
}

}  // namespace graft::inline v1
