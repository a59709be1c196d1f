#pragma once
#include <graft/qonnx/layout/sink_transposes.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/parameters.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/moved_constants.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/detail/quantized_constant.hpp>
#include <graft/qonnx/detail/transposes.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Moves one Transpose behind its reader.
class TransposeSink {
 public:
  TransposeSink(Node& node, Rewriter& rewriter) : node_(node), rewriter_(rewriter) {}

  Verdict run() {
    for (const Value* const input : node_.inputs()) {
      const Node* const before = input != nullptr ? transpose_before(*input) : nullptr;
      if (before == nullptr || is_weight(*before->input(0))) continue;
      order_ = *order_of(*before);
      back_ = inverse(order_);
      break;
    }
    if (order_.empty() || node_.output_count() == 0) return not_concerned();
    if (node_.is("Transpose")) return join();
    if (is_elementwise(node_)) return move_elementwise();
    if (is_op(node_, "MultiThreshold")) return move_thresholds();
    if (node_.is("Concat")) return move_concat();
    if ((node_.is("Softmax") || node_.is("LogSoftmax")) && node_.opset() >= 13) return move_along_axis(-1);
    if (node_.is("Pad")) return move_pad();
    if (node_.is("GlobalAveragePool")) return move_average();
    if (is_reduction()) return move_reduction();
    return Verdict::no("a Transpose does not go past this operator");
  }

 private:
  /// The input of a Transpose with this order; nullptr if the operand is not the output of one.
  Value* behind_order(const Value& input) const {
    const Node* const before = transpose_before(input);
    return before != nullptr && *order_of(*before) == order_ ? before->input(0) : nullptr;
  }

  Verdict finish(Value& result) { return finish(result, order_); }
  Verdict finish(Value& result, const Ints& order) {
    Value& last = is_idle(order) ? result : rewriter_.op("Transpose", {&result}, {{"perm", order}});
    return rewriter_.replace(*node_.output(0), last);
  }

  static bool is_idle(const Ints& order) { return std::ranges::is_sorted(order); }

  Verdict join() {
    const std::optional<Ints> then = order_of(node_);
    if (!then || then->size() != order_.size()) return Verdict::no("the orders have different ranks");
    Ints both;
    for (const std::int64_t from : *then) both.push_back(order_[static_cast<std::size_t>(from)]);
    return finish(*behind_order(*node_.input(0)), both);
  }

  Verdict move_elementwise() {
    std::vector<Value*> inputs;
    for (std::size_t i = 0; i < node_.input_count(); ++i) {
      Value* const input = node_.input(i);
      if (input == nullptr) {
        inputs.push_back(nullptr);
      } else if (Value* const source = behind_order(*input)) {
        inputs.push_back(source);
      } else if (is_one_element(*input)) {
        inputs.push_back(input);
      } else if (Value* const operand = operand_in_order(*input)) {
        inputs.push_back(operand);
      } else {
        return Verdict::no("another operand has no such Transpose");
      }
    }
    if (node_.output(0)->shape().rank() != order_.size()) return Verdict::no("its rank is not that of the Transpose");
    return finish(*rewriter_.clone(node_, inputs).output(0));
  }

  bool is_one_element(const Value& value) const {
    const auto dims = value.shape().dims();
    return dims && dims->size() <= order_.size() && std::ranges::all_of(*dims, [](std::int64_t n) { return n == 1; });
  }

  Value* operand_in_order(Value& value) {
    if (!is_weight(value)) return nullptr;
    const std::optional<Tensor> contents = contents_of(value);
    if (!contents || contents->rank() > order_.size()) return nullptr;
    if (value.is_constant()) {
      std::optional<Tensor> permuted = permuted_operand(*contents, back_);
      return permuted ? &rewriter_.constant(*std::move(permuted), value.name()) : nullptr;
    }
    return contents->rank() == order_.size() ? permuted_constant(value, back_, rewriter_) : nullptr;
  }

  Verdict move_thresholds() {
    const std::optional<Tensor> thresholds = node_.input(1) != nullptr ? node_.input(1)->constant() : std::nullopt;
    Value* const source = behind_order(*node_.input(0));
    if (source == nullptr || !thresholds || thresholds->rank() != 2)
      return Verdict::no("its thresholds are not constant");
    std::string layout = node_.attr<std::string>("data_layout").value_or("");
    if (layout.empty() && order_.size() >= 2 && order_.size() <= 4)
      layout = std::array<std::string_view, 3>{"NC", "NWC", "NCHW"}[order_.size() - 2];
    if (layout.size() != order_.size()) return Verdict::no("its data_layout is not known");
    std::string before(layout.size(), ' ');
    for (std::size_t i = 0; i < layout.size(); ++i) before[static_cast<std::size_t>(order_[i])] = layout[i];
    Attributes attributes;
    if (thresholds->dims()[0] != 1) attributes.emplace_back("data_layout", before);
    const std::vector<Value*> inputs{source, node_.input(1)};
    return finish(*detail::clone_with(node_, inputs, attributes, rewriter_).output(0));
  }

  Verdict move_concat() {
    std::vector<Value*> inputs;
    for (Value* const input : node_.inputs()) {
      Value* source = behind_order(*input);
      if (source == nullptr && is_weight(*input)) {
        const std::optional<Tensor> contents = contents_of(*input);
        if (contents && contents->rank() == order_.size()) source = permuted_constant(*input, back_, rewriter_);
      }
      if (source == nullptr) return Verdict::no("another operand has no such Transpose");
      inputs.push_back(source);
    }
    return move_along_axis(inputs, 1);
  }

  Verdict move_along_axis(std::int64_t otherwise) {
    return move_along_axis({behind_order(*node_.input(0))}, otherwise);
  }
  Verdict move_along_axis(const std::vector<Value*>& inputs, std::int64_t otherwise) {
    const std::optional<std::size_t> axis = axis_at(node_.attr<std::int64_t>("axis").value_or(otherwise));
    if (!axis) return Verdict::no("it has no such axis");
    return finish(*detail::clone_with(node_, inputs, {{"axis", order_[*axis]}}, rewriter_).output(0));
  }

  std::optional<std::size_t> axis_at(std::int64_t axis) const {
    const auto rank = static_cast<std::int64_t>(order_.size());
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? std::optional(static_cast<std::size_t>(axis)) : std::nullopt;
  }

  Node& clone_over(std::string_view attribute, std::size_t input, const Ints& values) {
    std::vector<Value*> inputs(node_.inputs().begin(), node_.inputs().end());
    inputs[0] = behind_order(*node_.input(0));
    const bool is_attribute = node_.attribute(attribute) != nullptr;
    if (!is_attribute) inputs[input] = &rewriter_.ints(values, attribute);
    const Attributes attributes = is_attribute ? Attributes{{attribute, values}} : Attributes();
    return detail::clone_with(node_, inputs, attributes, rewriter_);
  }

  Verdict move_pad() {
    const std::optional<Ints> pads = detail::given_integers(node_, "pads", 1);
    const std::size_t rank = order_.size();
    if (!pads || node_.input(3) != nullptr || pads->size() != 2 * rank || behind_order(*node_.input(0)) == nullptr)
      return Verdict::no("its pads are not constant, or for some axes only");
    Ints before(2 * rank);
    for (std::size_t i = 0; i < rank; ++i) {
      before[static_cast<std::size_t>(order_[i])] = (*pads)[i];
      before[rank + static_cast<std::size_t>(order_[i])] = (*pads)[rank + i];
    }
    return finish(*clone_over("pads", 1, before).output(0));
  }

  Verdict move_average() {
    Ints axes;
    for (std::size_t i = 2; i < order_.size(); ++i) axes.push_back(order_[i]);
    std::ranges::sort(axes);
    Value* const source = behind_order(*node_.input(0));
    if (axes.empty()) return Verdict::no("there is nothing to reduce");
    if (node_.opset() < 18) return finish(rewriter_.op("ReduceMean", {source}, {{"axes", axes}, {"keepdims", 1}}));
    Value& list = rewriter_.ints(axes, "axes");
    return finish(rewriter_.op("ReduceMean", {source, &list}, {{"keepdims", 1}}));
  }

  bool is_reduction() const {
    constexpr std::array<std::string_view, 10> known{"ReduceL1",  "ReduceL2",       "ReduceLogSum", "ReduceLogSumExp",
                                                     "ReduceMax", "ReduceMean",     "ReduceMin",    "ReduceProd",
                                                     "ReduceSum", "ReduceSumSquare"};
    return node_.domain().empty() && std::ranges::find(known, node_.op_type()) != known.end();
  }

  Verdict move_reduction() {
    const std::optional<Ints> axes = detail::given_integers(node_, "axes", 1);
    if (!axes || axes->empty() || behind_order(*node_.input(0)) == nullptr)
      return Verdict::no("its axes are not constant");
    Ints before;
    std::vector<bool> is_reduced(order_.size());
    for (const std::int64_t given : *axes) {
      const std::optional<std::size_t> axis = axis_at(given);
      if (!axis) return Verdict::no("it has no such axis");
      before.push_back(order_[*axis]);
      is_reduced[static_cast<std::size_t>(order_[*axis])] = true;
    }
    std::ranges::sort(before);
    Value& result = *clone_over("axes", 1, before).output(0);
    if (node_.attr<std::int64_t>("keepdims").value_or(1) != 0) return finish(result);
    Ints left;
    for (const std::int64_t axis : order_) {
      if (is_reduced[static_cast<std::size_t>(axis)]) continue;
      left.push_back(axis - std::count(is_reduced.begin(), is_reduced.begin() + axis, true));
    }
    return finish(result, left);
  }

  Node& node_;
  Rewriter& rewriter_;
  Ints order_, back_;
};

}  // namespace detail

GRAFT_INLINE Pass sink_transposes() {
  return detail::repeated_node_sweep(
      "sink_transposes", [](Node& node, Rewriter& rewriter) { return detail::TransposeSink(node, rewriter).run(); });
}

}  // namespace graft::inline v1::qonnx
