#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/quantize_tensor.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/partial_tiles.hpp>
#include <graft/quantize/kernel/channels.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::detail {

/// Appends elements of one value to the tensor along an axis.
template <class T>
Tensor widened(const Tensor& tensor, std::size_t axis, std::int64_t extent, T fill) {
  Dims dims = tensor.dims();
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  const std::size_t old = inner * static_cast<std::size_t>(dims[axis]), row = inner * static_cast<std::size_t>(extent);
  const std::vector<T> values = tensor.to<T>();
  std::vector<T> wide;
  wide.reserve(values.size() / old * row);
  for (auto from = values.begin(); from != values.end(); from += static_cast<std::ptrdiff_t>(old)) {
    wide.insert(wide.end(), from, from + static_cast<std::ptrdiff_t>(old));
    wide.insert(wide.end(), row - old, fill);
  }
  dims[axis] = extent;
  return Tensor::of<T>(tensor.dtype(), dims, wide);
}

/// Appends zeros along an axis. Their scale is the last one, so that a bias still has the product of the other two
/// scales.
inline QuantizedTensor widened(QuantizedTensor tensor, std::size_t axis, std::int64_t extent) {
  const bool has_zero_point = tensor.zero_point.size() != 0;
  const std::int32_t zero = has_zero_point ? tensor.zero_point.to<std::int32_t>().back() : 0;
  tensor.data = widened<std::int32_t>(tensor.data, axis, extent, zero);
  if (!tensor.axis || tensor.scale.size() == 1) return tensor;
  tensor.scale = widened<float>(tensor.scale, 0, extent, tensor.scale.to<float>().back());
  if (tensor.zero_point.size() > 1) tensor.zero_point = widened<std::int32_t>(tensor.zero_point, 0, extent, zero);
  return tensor;
}

/// Reads the first elements along an axis, and replaces the value for all its readers.
inline Value& insert_cut(Value& wide, std::int64_t axis, std::int64_t extent) {
  Node& producer = *wide.producer();
  Graph& graph = producer.graph();
  const auto list = [&](std::int64_t number, const char* name) {
    return &graph.add_initializer(Tensor::of<std::int64_t>({1}, std::vector{number}), name);
  };
  const std::string name(wide.name());
  Value& cut = *graph
                    .insert("Slice", {&wide, list(0, "starts"), list(extent, "ends"), list(axis, "axes")}, 1, {},
                            producer.next(), name + "_cut")
                    .output(0);
  bool is_output = false;
  for (Use& use : wide.uses()) {
    if (use.user() == cut.producer()) continue;
    is_output = is_output || use.is_graph_output();
    if (use.is_graph_output()) use.graph().set_output(use.index(), cut);
    else rewire(use, cut);
  }
  if (is_output) {
    graph.rename(wide, graph.fresh_name(name + "_wide"));
    graph.rename(cut, name);
  }
  return cut;
}

/// The type of a value with another extent along an axis.
inline void set_extent(Value& value, std::size_t axis, std::int64_t extent) {
  const Shape shape = value.shape();
  if (!shape.known() || axis >= shape.rank()) return;
  std::vector<Dim> dims = infer::to_dims(shape);
  dims[axis] = Dim(extent);
  value.producer()->graph().set_type(value, tensor_type(value.dtype(), Shape(std::move(dims))));
}

/// Appends zeros to the weight and bias of a quantized product until its columns fill tiles. Cuts off the added columns
/// of the result: behind the quantizer of the result, if the kernel fuses that.
inline void fill_tiles(Node& node, const Target& target) {
  Node* const dequantize = node.input(1)->producer();
  std::optional<QuantizedTensor> weight =
      dequantize != nullptr && is_dequantize(*dequantize) ? quantized_constant(*dequantize) : std::nullopt;
  if (!weight) return;
  const std::size_t axis = channel_axis(node, weight->data.rank()).value_or(weight->data.rank() - 1);
  const std::int64_t columns = weight->data.dims()[axis], wide = next_full_tiles(columns);
  const auto replace = [&](std::size_t input, QuantizedTensor tensor, const Value& named) {
    Value* const old = node.input(input);
    const std::string name(named.name());
    rewire(node, input, insert_dequantize(add_quantized(node.graph(), std::move(tensor), name), node, name));
    drop_unused(old);
  };
  replace(1, widened(*std::move(weight), axis, wide), *dequantize->input(0));
  if (Value* const bias = node.input(2)) {
    Node* const producer = bias->producer();
    if (const std::optional<Tensor> floats = bias->constant()) {
      rewire(node, 2, node.graph().add_initializer(widened<float>(*floats, 0, wide, 0), bias->name()));
      drop_unused(bias);
    } else if (producer != nullptr && is_dequantize(*producer)) {
      if (std::optional<QuantizedTensor> integers = quantized_constant(*producer))
        replace(2, widened(*std::move(integers), 0, wide), *producer->input(0));
    }
  }
  const IntegerKernel* const kernel = integer_kernel(node, target);
  OutputChains chains(target);
  const OutputChain chain = chains.behind(*node.output(0), kernel == nullptr || kernel->fuses_activations());
  std::vector<Value*> values{node.output(0)};
  for (std::size_t i = 0; i <= chain.activations.size() && values.back()->use_count() == 1; ++i) {
    Node* const reader = values.back()->uses().front().user();
    const bool ends = i == chain.activations.size();
    if (reader == nullptr || (ends ? !is_quantize(*reader) : reader != chain.activations[i])) break;
    values.push_back(reader->output(0));
  }
  if (values.size() != chain.activations.size() + 2) values.resize(1);
  const std::size_t rank = node.output(0)->shape().rank();
  const std::size_t channel = convolves(node) ? 1 : rank - (rank == 0 ? 0 : 1);
  const std::optional<onnx::TypeProto> type =
      values.back()->type() != nullptr ? std::optional(*values.back()->type()) : std::nullopt;
  Value& cut = insert_cut(*values.back(), convolves(node) ? 1 : -1, columns);
  if (type) node.graph().set_type(cut, *type);
  for (Value* const value : values) set_extent(*value, channel, wide);
}

}  // namespace graft::inline v1::detail
