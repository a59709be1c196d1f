#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/cleanup/detail/float_constant.hpp>
#include <graft/qonnx/cleanup/detail/movements.hpp>
#include <graft/qonnx/detail/is_any.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx::detail {

/// Which values hold integers, whatever they are fed.
class IntegerValues {
 public:
  /// Each value is looked at once: edits keep what it is, and the graph gives no two values one address. Without
  /// recursion, for graphs may be deep.
  bool contains(const Value& value) {
    std::vector<const Value*> open{&value};
    while (!open.empty()) {
      const Value& next = *open.back();
      const std::optional<bool> found = integers_.contains(&next) ? integers_.at(&next) : find_integer(next, open);
      if (!found) continue;  // an input that comes first is on the stack now
      integers_.emplace(&next, *found);
      open.pop_back();
    }
    return integers_.at(&value);
  }

 private:
  static bool are_integers(const Value& constant) {
    const std::optional<Tensor> tensor = floats_of(&constant);
    if (!tensor) return false;
    const std::vector<float> values = tensor->to<float>();
    return std::ranges::all_of(values, [](float x) { return x == std::rint(x); });
  }

  static bool makes_integers(const Node& quantizer) {
    const std::optional<Tensor> scale = floats_of(quantizer.input(1));
    if (!scale || !are_ones(*scale)) return false;
    if (quantizer.is("DequantizeLinear")) return graft::is_integer(quantizer.input(0)->dtype());
    if (is_op(quantizer, "Trunc") && quantizer.input_count() != 5) return false;
    return is_op(quantizer, "BipolarQuant") || (quantizer.input(2) != nullptr && are_integers(*quantizer.input(2)));
  }

  /// nullopt if an input must be known first, which is put on the stack.
  std::optional<bool> find_integer(const Value& value, std::vector<const Value*>& open) const {
    if (floats_of(&value)) return are_integers(value);
    const Node* const node = value.producer();
    if (node == nullptr || node->output_count() == 0) return false;
    if ((is_quantizer(*node) && !is_op(*node, "FloatQuant")) || node->is("DequantizeLinear"))
      return makes_integers(*node);
    std::size_t read = 0;
    if (is_any(*node, movements) || node->is("Relu") || node->is("MaxPool") || node->is("ReduceSum") ||
        node->is(OpName{channels_last_domain, "MaxPool"}) || pads_by_0(*node)) {
      if (value.index() != 0) return false;
      read = 1;
    } else if (node->is("Conv") || node->is(OpName{channels_last_domain, "Conv"}) || node->is("MatMul") ||
               is_any(*node, std::array<std::string_view, 6>{"Add", "Sub", "Mul", "Concat", "Max", "Min"})) {
      read = node->input_count();
    } else {
      return false;
    }
    for (std::size_t i = 0; i < read; ++i) {
      const Value* const input = node->input(i);
      if (input == nullptr) continue;
      const auto known = integers_.find(input);
      if (known != integers_.end() && !known->second) return false;
      if (known != integers_.end()) continue;
      open.push_back(input);
      return std::nullopt;
    }
    return true;
  }

  std::unordered_map<const Value*, bool> integers_;
};

}  // namespace graft::inline v1::qonnx::detail
