#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

#include <graft/graph/node.hpp>

namespace graft::inline v1::detail {

/// Whether the operator may round floats: all do except those that move, select or compare elements.
inline bool rounds(const Node& node) {
  constexpr std::string_view exact[] = {
      "Abs", "And", "ArgMax", "ArgMin", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceil",
      "CenterCropPad", "Clip", "Compress", "Concat", "ConcatFromSequence", "Constant", "ConstantOfShape",
      "DepthToSpace", "Equal", "Expand", "EyeLike", "Flatten", "Floor", "Gather", "GatherElements", "GatherND",
      "GlobalMaxPool", "Greater", "GreaterOrEqual", "Hardmax", "Identity", "IsInf", "IsNaN", "Less", "LessOrEqual",
      "Max", "MaxPool", "Min", "Neg", "NonZero", "Not", "OneHot", "Or", "Pad", "ReduceMax", "ReduceMin", "Relu",
      "Reshape", "ReverseSequence", "Round", "ScatterElements", "ScatterND", "SequenceAt", "SequenceConstruct",
      "Shape", "Sign", "Size", "Slice", "SpaceToDepth", "Split", "SplitToSequence", "Squeeze", "ThresholdedRelu",
      "Tile", "TopK", "Transpose", "Trilu", "Unique", "Unsqueeze", "Where", "Xor"};
  return !node.domain().empty() || !std::binary_search(std::begin(exact), std::end(exact), node.op_type());
}

}  // namespace graft::inline v1::detail
