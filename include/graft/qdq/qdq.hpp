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

/// The dtype of the quantized tensor. Without a zero point, QuantizeLinear returns uint8, or since version 21 its
/// attribute output_dtype.
DType quantized_dtype(const Node& quantizer);

namespace detail {

inline std::optional<Tensor> constant_input(const Node& node, std::size_t i) {
  return node.input(i) != nullptr ? node.input(i)->constant() : std::nullopt;
}

/// Whether the value is a constant, or one behind quantizers alone.
inline bool is_stored(const Value& value) {
  const Value* source = &value;
  while (source != nullptr && source->producer() != nullptr &&
         (is_quantize(*source->producer()) || is_dequantize(*source->producer())))
    source = source->producer()->input(0);
  return source != nullptr && source->is_constant();
}

}  // namespace detail

/// The constant q-params of a QuantizeLinear or DequantizeLinear of a whole tensor. nullopt if they are not constant,
/// if there are several, if the scale is not positive and finite, or if the dtypes are not float32 and an integer of at
/// most 16 bits or f8e4m3fn. An absent zero point is 0.
std::optional<QParams> qparams_of(const Node& quantizer);

/// The QuantizeLinear that forms a pair with this DequantizeLinear: both have the same constant q-params. A Clip of the
/// integers may stand between. nullptr if there is none.
Node* paired_quantize(const Node& dequantize);

/// The dequantized tensor of the pair after a float tensor; nullptr if there is no pair.
Value* dequantized(const Value& value);

namespace detail {

inline void rewire(Use& use, Value& value) {
  if (!use.graph().set_input(use, &value)) raise(Error("quantizing it would close a cycle").field(value.name()));
}
inline void rewire(Node& node, std::size_t input, Value& value) { rewire(node.use(input), value); }

/// Makes readers of a tensor with a true reads(use) read the dequantized tensor. Excludes readers that quantize the
/// tensor, and graph outputs that are inputs, too, because both have one name.
template <class Reads>
void read_dequantized(Value& value, Value& dequantized, Reads reads) {
  Graph& graph = value.graph();
  bool is_output = false;
  for (Use& use : value.uses()) {
    if (!use.is_graph_output() && is_quantize(*use.user())) continue;
    if (!reads(std::as_const(use))) continue;
    if (use.is_graph_output()) {
      const bool is_own = &use.graph() == &graph;  // else it is an output of a body
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

/// The result of a Clip of quantized values to integers of so many bits, of the sign of their dtype.
Value& insert_integer_clip(Value& quantized, int bits, Node* before, const std::string& hint);

/// Inserts a pair after a float tensor. With bits, the tensor gets integers of so many bits: the q-params are narrowed,
/// and a Clip is inserted, unless the dtype has no more. Returns the dequantized tensor.
template <class Reads>
Value& insert_pair(Value& value, QParams q, Reads reads, std::optional<int> bits = std::nullopt) {
  const bool is_narrow = bits && *bits < static_cast<int>(graft::bits(q.dtype));
  if (is_narrow) q = narrowed(q, *bits);
  Graph& graph = value.graph();
  const std::string hint(value.name());
  Node* const next = value.producer() != nullptr ? value.producer()->next() : graph.first_node();
  Value& scale = graph.add_initializer(Tensor::scalar(q.scale), hint + "_scale");
  Value& zero_point =
      graph.add_initializer(Tensor::of<std::int32_t>(q.dtype, {}, {q.zero_point}), hint + "_zero_point");
  Value& quantized =
      *graph.insert("QuantizeLinear", {&value, &scale, &zero_point}, 1, {}, next, hint + "_quantized").output(0);
  graph.set_type(quantized, tensor_type(q.dtype, value.shape()));
  Value& integers = is_narrow ? insert_integer_clip(quantized, *bits, next, hint) : quantized;
  Value& result =
      *graph.insert("DequantizeLinear", {&integers, &scale, &zero_point}, 1, {}, next, hint + "_dequantized").output(0);
  if (value.type() != nullptr) graph.set_type(result, *value.type());
  read_dequantized(value, result, reads);
  return result;
}

inline bool is_own_output(const Use& use) { return use.is_graph_output() && &use.graph() == &use.value()->graph(); }

}  // namespace detail

/// Inserts a pair after a float tensor, for all readers. A graph output reads the dequantized tensor, too, and keeps
/// its name; with outputs_too false, or if it is an input, too, it keeps the float tensor. Returns the dequantized
/// tensor.
Value& insert_qdq(Value& value, const QParams& q, bool outputs_too);

}  // namespace graft::inline v1
