#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1 {

bool is_quantize(const Node& node);
bool is_dequantize(const Node& node);

/// The dtype of the quantized tensor. QuantizeLinear without a zero point makes uint8, except for its attribute
/// output_dtype since version 21.
DType quantized_dtype(const Node& quantizer);

namespace detail {

inline std::optional<Tensor> constant_input(const Node& node, std::size_t i) {
  return node.input(i) != nullptr ? node.input(i)->constant() : std::nullopt;
}

}  // namespace detail

/// The constant q-params of a QuantizeLinear or DequantizeLinear of a whole tensor. nullopt if they are not constant,
/// are several, if the scale is not positive and finite, or if their dtypes are others than float32 and an integer of
/// at most 16 bits. An absent zero point is 0.
std::optional<QParams> qparams_of(const Node& quantizer);

/// The QuantizeLinear that makes a pair with this DequantizeLinear: constant q-params, the same on both sides. nullptr
/// if there is none.
Node* paired_quantize(const Node& dequantize);

/// What the pair behind a float tensor makes of it; nullptr if it has no pair.
Value* dequantized(const Value& value);

namespace detail {

inline void rewire(Use& use, Value& value) {
  if (!use.graph().set_input(use, &value)) throw Error("quantizing it would close a cycle").field(value.name());
}
inline void rewire(Node& node, std::size_t input, Value& value) { rewire(node.use(input), value); }

/// Makes users of a tensor read what its pair makes of it, those of which reads(use) is true; none that quantizes it,
/// and no graph output that is an input too, whose name both have.
template <class Reads>
void read_dequantized(Value& value, Value& dequantized, Reads reads) {
  Graph& graph = value.graph();
  bool is_output = false;
  for (Use& use : value.uses()) {
    if (!use.is_graph_output() && is_quantize(*use.user())) continue;
    if (!reads(std::as_const(use))) continue;
    if (use.is_graph_output()) {
      const bool is_own = &use.graph() == &graph;  // else a body hands it out
      if (is_own && value.is_graph_input()) continue;
      use.graph().set_output(use.index(), dequantized);
      is_output = is_output || is_own;
    } else {
      rewire(use, dequantized);
    }
  }
  if (!is_output) return;
  const std::string name(value.name());
  graph.rename(value, graph.fresh_name(name));
  graph.rename(dequantized, name);
}

/// Puts a pair behind a float tensor. Returns the dequantized tensor.
template <class Reads>
Value& insert_pair(Value& value, const QParams& q, Reads reads) {
  Graph& graph = value.graph();
  const std::string hint(value.name());
  Node* const next = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
  Value& scale = graph.add_initializer(Tensor::scalar(q.scale), hint + "_scale");
  Value& zero_point =
      graph.add_initializer(Tensor::of<std::int32_t>(q.dtype, {}, {q.zero_point}), hint + "_zero_point");
  Value& quantized =
      *graph.insert("QuantizeLinear", {&value, &scale, &zero_point}, 1, {}, next, hint + "_quantized").output(0);
  Value& result =
      *graph.insert("DequantizeLinear", {&quantized, &scale, &zero_point}, 1, {}, next, hint + "_dequantized")
           .output(0);
  graph.set_type(quantized, tensor_type(q.dtype, value.shape()));
  if (value.type() != nullptr) graph.set_type(result, *value.type());
  read_dequantized(value, result, reads);
  return result;
}

inline bool is_own_output(const Use& use) { return use.is_graph_output() && &use.graph() == &use.value()->graph(); }

}  // namespace detail

/// Puts a pair behind a float tensor: every user reads the dequantized tensor. Where an output of the graph does, it
/// keeps its name; with outputs_too false, or where it is an input too, it goes on to read the float tensor. Returns
/// the dequantized tensor.
Value& insert_qdq(Value& value, const QParams& q, bool outputs_too);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/qdq.ipp>
#endif
