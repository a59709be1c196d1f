#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/data_type.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>

namespace graft::inline v1::qonnx {

/// The integer sums of a Conv, ConvTranspose, MatMul or Gemm, without the scales of its input and weight. The bounds
/// are those of the final integer sum, before scales and bias. Partial sums may exceed them.
struct Accumulator {
  const Node* node = nullptr;
  /// The bounds for each output channel.
  std::vector<double> min{}, max{};
  /// The smallest type that holds all of them.
  DataType type{};
};

/// A channel that has the same value for every input; channel 0 of a tensor that is all one number. int64 tensors,
/// which hold shapes and indices, are not included.
struct StuckChannel {
  const Value* value = nullptr;
  std::size_t channel = 0;
  double number = 0;
};

struct PropagatedRanges {
  /// The ranges of computed values of the graph, and of its inputs.
  std::unordered_map<const Value*, TensorRange> ranges{};
  std::vector<Accumulator> accumulators{};
  std::vector<StuckChannel> stuck{};  ///< in the order of the graph
  struct Unknown {
    const Node* node = nullptr;
    std::string why;
  };
  /// Nodes whose output range is unknown, and products that are not sums of integers.
  std::vector<Unknown> unknown{};

  /// nullptr for other values.
  const TensorRange* find(const Value& value) const {
    const auto place = ranges.find(&value);
    return place == ranges.end() ? nullptr : &place->second;
  }
};

/// Propagates ranges from the inputs of a graph to all computed values, by interval arithmetic. It works channel by
/// channel through nodes that do not mix channels, and through products with constant weights, for which it sums
/// positive and negative weights separately. Each range is valid for every input within its range, up to the rounding
/// of float32. If operands depend on each other, it is wider than necessary. Zeros of padding count as inputs of a
/// Conv.
///
/// `inputs`: ranges of graph inputs by name. Others have the range of their annotated data type, if it is integer or
/// fixed-point; otherwise none, but a Quant bounds later values. Initializers count as constants, even if callers may
/// override them. Bodies are skipped. Integers that may exceed their dtype wrap, and get its whole range. Throws Error
/// for a name that is not an input of the graph or an input with a default, and for ranges with a min above their max.
/// Throws Error for steps that are not positive and finite, and for channels that the input does not have.
PropagatedRanges propagate_ranges(Graph& graph, const std::map<std::string, TensorRange, std::less<>>& inputs = {});

}  // namespace graft::inline v1::qonnx
