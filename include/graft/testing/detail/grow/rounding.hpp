#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>

namespace graft::inline v1::detail {

/// Whether the operator may round floats: all do except those that take elements of an input, select or compare them.
inline bool rounds(const Node& node) {
  constexpr std::string_view exact[] = {
      "Abs", "And", "ArgMax", "ArgMin", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceil",
      "CenterCropPad", "Clip", "Concat", "ConcatFromSequence", "Constant", "ConstantOfShape", "Equal", "EyeLike",
      "Floor", "Greater", "GreaterOrEqual", "Hardmax", "IsInf", "IsNaN", "Less", "LessOrEqual", "Max", "Min",
      "Neg", "NonZero", "Not", "OneHot", "Or", "Pad", "Relu", "Round", "ScatterElements", "ScatterND",
      "SequenceAt", "SequenceConstruct", "Shape", "Sign", "Size", "SplitToSequence", "ThresholdedRelu", "TopK",
      "Trilu", "Unique", "Where", "Xor"};
  if (!node.domain().empty()) return true;
  return !takes_elements(node) && !std::binary_search(std::begin(exact), std::end(exact), node.op_type());
}

}  // namespace graft::inline v1::detail
