#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <graft/graph/node.hpp>

// Facts of operators that rules and passes need and schemas lack. All rooms share this table: for a new fact, add a
// column.

namespace graft::inline v1 {

/// The relation of an operator's output elements to those of its first input.
enum class Elements : std::uint8_t {
  computed,  ///< other relations, or it depends on attributes
  same,      ///< the input itself
  reshaped,  ///< the same elements in the same order, with other dims
  moved,     ///< each is an input element: reordered, repeated or left out
  chosen,    ///< each is an input element, chosen by value
};

struct OperatorFacts {
  std::string_view op;
  Elements elements = Elements::computed;
  /// The inputs from first_shape up to end_shape are extents, axes, positions or scales, not data.
  std::uint8_t first_shape = 0, end_shape = 0;
  /// The axis of the output channels of input 1, a weight that is not transposed; -1: no weight.
  std::int8_t weight_axis = -1;

  constexpr bool takes_shape(std::size_t input) const { return first_shape <= input && input < end_shape; }
};

/// The facts of the main domain, sorted by name. Missing operators have the default in each column.
inline constexpr OperatorFacts operator_facts[] = {
    {"CenterCropPad", Elements::computed, 1, 2},
    {"Compress", Elements::moved},
    {"ConstantOfShape", Elements::computed, 0, 1},
    {"Conv", Elements::computed, 0, 0, 0},
    {"ConvTranspose", Elements::computed, 0, 0, 1},
    {"DepthToSpace", Elements::moved},
    {"Expand", Elements::moved, 1, 2},
    {"Flatten", Elements::reshaped},
    {"Gather", Elements::moved},
    {"GatherElements", Elements::moved},
    {"GatherND", Elements::moved},
    {"Gemm", Elements::computed, 0, 0, 1},
    {"GlobalMaxPool", Elements::chosen},
    {"Identity", Elements::same},
    {"MatMul", Elements::computed, 0, 0, 1},
    {"MaxPool", Elements::chosen},
    {"OneHot", Elements::computed, 1, 2},
    {"Pad", Elements::computed, 1, 2},
    {"Range", Elements::computed, 0, 3},
    {"ReduceMax", Elements::chosen},
    {"ReduceMin", Elements::chosen},
    {"Reshape", Elements::reshaped, 1, 2},
    {"Resize", Elements::computed, 1, 4},
    {"ReverseSequence", Elements::moved},
    {"Slice", Elements::moved, 1, 5},
    {"SpaceToDepth", Elements::moved},
    {"Split", Elements::moved, 1, 2},
    {"Squeeze", Elements::reshaped, 1, 2},
    {"Tile", Elements::moved, 1, 2},
    {"TopK", Elements::computed, 1, 2},
    {"Transpose", Elements::moved},
    {"Unsqueeze", Elements::reshaped, 1, 2},
    {"Upsample", Elements::computed, 1, 2},
};

constexpr OperatorFacts facts_of(std::string_view op) {
  std::size_t first = 0, end = std::size(operator_facts);
  while (first < end) {
    const std::size_t middle = (first + end) / 2;
    if (operator_facts[middle].op < op) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  const bool is_known = first < std::size(operator_facts) && operator_facts[first].op == op;
  return is_known ? operator_facts[first] : OperatorFacts{op};
}

inline OperatorFacts facts_of(const Node& node) {
  return node.domain().empty() ? facts_of(node.op_type()) : OperatorFacts{node.op_type()};
}

inline bool reshapes_elements(const Node& node) { return facts_of(node).elements == Elements::reshaped; }

/// Whether each output element is an element of the first input, chosen independently of the values of that input.
inline bool moves_elements(const Node& node) {
  const Elements elements = facts_of(node).elements;
  return elements == Elements::same || elements == Elements::reshaped || elements == Elements::moved;
}

/// Whether each output element is an element of the first input. Second outputs of MaxPool are positions.
inline bool takes_elements(const Node& node) { return facts_of(node).elements != Elements::computed; }

}  // namespace graft::inline v1
