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

/// The integers that a Conv, ConvTranspose, MatMul or Gemm sums up, without the scales of its input and weight.
/// Bounds of the final integer sum, before scales and bias. Partial sums may exceed them.
struct Accumulator {
  const Node* node = nullptr;
  /// Of each output channel.
  std::vector<double> min{}, max{};
  /// The smallest that holds all of them.
  DataType type{};
};

/// A channel whose values are all the same, whatever the input is; channel 0 of a tensor that is all one number. Of
/// int64 tensors, which hold shapes and indices, there are none.
struct StuckChannel {
  const Value* value = nullptr;
  std::size_t channel = 0;
  double number = 0;
};

struct PropagatedRanges {
  /// Of the values of the graph that are computed, and its inputs.
  std::unordered_map<const Value*, TensorRange> ranges{};
  std::vector<Accumulator> accumulators{};
  std::vector<StuckChannel> stuck{};  ///< in the order of the graph
  struct Unknown {
    const Node* node = nullptr;
    std::string why;
  };
  /// Nodes after which nothing is known, and products that are not sums of integers.
  std::vector<Unknown> unknown{};

  /// nullptr for a value that is none of them.
  const TensorRange* find(const Value& value) const {
    const auto place = ranges.find(&value);
    return place == ranges.end() ? nullptr : &place->second;
  }
};

/// Follows ranges from the inputs of a graph to all that it computes, by interval arithmetic: channel by channel
/// through what keeps channels apart, and through products with constant weights, where positive and negative weights
/// count apart. Each range holds whatever the input is, within its range, up to the rounding of float32; where operands
/// depend on each other it is wider than it need be. Zeros of padding count as inputs of a Conv.
///
/// `inputs`: ranges of graph inputs by name. Others have the range of the data type that their annotation says, if it
/// is one of integers or of fixed point, else none: even so a Quant bounds what follows. Initializers count as
/// constants, whether a caller could override them or not. Bodies are not looked into. Integers that may leave their
/// dtype wrap, and have its whole range. Throws Error for a name that is no input of the graph or has a default, for
/// ranges with a min above their max, for steps that are not positive and finite, and for channels that the shape of
/// the input does not have.
PropagatedRanges propagate_ranges(Graph& graph, const std::map<std::string, TensorRange, std::less<>>& inputs = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/datatype/ranges.ipp>
#endif
