#pragma once
#include <graft/qonnx/datatype/ranges.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/datatype/annotations.hpp>
#include <graft/qonnx/datatype/data_types.hpp>
#include <graft/qonnx/datatype/detail/corners.hpp>
#include <graft/qonnx/datatype/detail/known_ranges.hpp>
#include <graft/qonnx/datatype/detail/moved_ranges.hpp>
#include <graft/qonnx/datatype/detail/product_ranges.hpp>
#include <graft/qonnx/datatype/detail/steps.hpp>
#include <graft/qonnx/datatype/detail/taps.hpp>
#include <graft/qonnx/detail/elementwise.hpp>
#include <graft/qonnx/detail/typed_graph.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Propagates ranges through one graph.
class RangePropagation {
 public:
  explicit RangePropagation(Graph& graph) : graph_(graph), known_(graph) {}

  PropagatedRanges run(const std::map<std::string, TensorRange, std::less<>>& inputs) {
    read_inputs(inputs);
    for (const Node& node : graph_.nodes()) {
      if (node.output_count() == 0 || known_.constants().has_outputs_of(node)) continue;
      visit(node);
    }
    result_.ranges = known_.release();
    return std::move(result_);
  }

 private:
  void read_inputs(const std::map<std::string, TensorRange, std::less<>>& inputs) {
    const DataTypes types = read_data_types(graph_);
    for (const Value* const input : graph_.inputs()) {
      if (input->initializer() != nullptr) continue;
      TensorRange range = range_by_dtype(*input);
      const DataType type = types.of(*input);
      if (type.is_integer()) range = TensorRange::of(type.min(), type.max(), {1});
      if (type.kind() == DataType::Kind::fixed)
        range = TensorRange::of(type.min(), type.max(), {std::ldexp(1.0, type.integer_bits() - type.bits())});
      known_.set(*input, std::move(range));
    }
    for (const auto& [name, range] : inputs) {
      const Value* const input = graph_.find(name);
      if (input == nullptr || known_.find(*input) == nullptr)
        throw Error("is not an input, or has a default, which counts as a constant").field(name);
      bool is_sound = !range.min.empty() && range.min.size() == range.max.size();
      for (std::size_t i = 0; is_sound && i < range.min.size(); ++i) is_sound = range.min[i] <= range.max[i];
      if (!is_sound) throw Error("its min is above its max, or they differ in number").field(name);
      if (!are_steps(range.step)) throw Error("has a step that is not positive and finite").field(name);
      check_channels(*input, range.min.size(), range.axis);
      check_channels(*input, range.step.size(), range.step_axis);
      known_.set(*input, range);
    }
  }

  static void check_channels(const Value& input, std::size_t count, std::size_t axis) {
    if (count < 2) return;
    const Shape shape = input.shape();
    if (!shape.known()) return;
    if (axis >= shape.rank()) throw Error("has no axis " + std::to_string(axis)).field(input.name());
    if (shape[axis].known() && shape[axis].value() != static_cast<std::int64_t>(count))
      throw Error("does not have " + std::to_string(count) + " channels along axis " + std::to_string(axis))
          .field(input.name());
  }

  /// Integers that could exceed their dtype wrap, and may then have any value of it.
  static void keep_to_dtype(const Value& value, TensorRange& range) {
    const DType dtype = value.dtype();
    if (!graft::is_integer(dtype)) return;
    const auto low = static_cast<double>(lowest(dtype));
    const double high = dtype == DType::u64 ? std::ldexp(1.0, 64) : static_cast<double>(highest(dtype));
    const bool is_rounded = graft::bits(dtype) == 64;  // high is one too large, and sums near it are rounded
    const TensorRange all = range_by_dtype(value);
    for (std::size_t i = 0; i < range.min.size(); ++i) {
      const bool fits =
          is_rounded ? range.min[i] > low && range.max[i] < high : range.min[i] >= low && range.max[i] <= high;
      if (!fits) range.min[i] = all.min[0], range.max[i] = all.max[0];
    }
  }

  void visit(const Node& node) {
    if (node.is("Split")) {
      std::vector<TensorRange> parts = after_split(known_, node);
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (!node.output(i)->name().empty()) set(*node.output(i), std::move(parts[i]));
      return;
    }
    std::optional<TensorRange> found = range_after(node);
    if (!found)
      result_.unknown.push_back({&node, "nothing is known of what " + std::string(node.op_type()) + " makes"});
    for (const Value& output : node.outputs())
      if (!output.name().empty()) known_.set(output, range_by_dtype(output));
    if (found) set(*node.output(0), *std::move(found));
  }

  void set(const Value& value, TensorRange range) {
    if (!are_steps(range.step)) range.forget_steps();
    keep_to_dtype(value, range);
    for (std::size_t i = 0; i < range.min.size(); ++i) {
      if (std::isnan(range.min[i]) || std::isnan(range.max[i])) range.min[i] = -INFINITY, range.max[i] = INFINITY;
      const bool is_stuck = range.min[i] == range.max[i] && value.dtype() != DType::i64;  // these are shapes
      if (is_stuck) result_.stuck.push_back({&value, i, range.min[i]});
    }
    known_.set(value, std::move(range));
  }

  std::optional<TensorRange> range_after(const Node& node) {
    if (!node.bodies().empty() || node.input(0) == nullptr) return std::nullopt;
    if (node.is("Conv")) return ProductRanges(known_, result_).conv(node);
    if (node.is("ConvTranspose")) return ProductRanges(known_, result_).conv_transpose(node);
    if (node.is("MatMul") || node.is("Gemm")) return ProductRanges(known_, result_).matmul(node);
    if (node.is("Concat")) return after_concat(known_, node);
    if (node.is("Dropout") && node.input_count() > 2) return std::nullopt;  // it may be in training mode
    if (node.is("Softmax")) return TensorRange::of(0, 1);
    constexpr std::string_view pools[] = {"AveragePool", "GlobalAveragePool", "Pad", "ReduceMean"};
    constexpr std::string_view blends[] = {"Dropout", "Resize", "Upsample"};
    if (takes_elements(node) || is_any(node, blends) || is_any(node, pools)) return after_movement(known_, node);
    if (is_op(node, "MultiThreshold")) return after_thresholds(node);
    if (!is_monotone(known_, node)) return std::nullopt;
    std::optional<TensorRange> result = at_corners(known_, node);
    if (result) set_steps(known_, node, *result);
    return result;
  }

  /// From 0 thresholds reached to all of them.
  std::optional<TensorRange> after_thresholds(const Node& node) {
    const std::optional<Tensor> thresholds = known_.constants().find(node.input(1));
    if (!thresholds || thresholds->rank() == 0) return std::nullopt;
    const double scale = node.attr<float>("out_scale").value_or(1), bias = node.attr<float>("out_bias").value_or(0);
    const double other = bias + scale * static_cast<double>(thresholds->dims().back());
    TensorRange range = TensorRange::of(std::fmin(bias, other), std::fmax(bias, other));
    if (in_steps(bias, scale)) range.step = {std::fabs(scale)};
    return range;
  }

  Graph& graph_;
  KnownRanges known_;
  PropagatedRanges result_;
};

}  // namespace detail

GRAFT_INLINE PropagatedRanges propagate_ranges(Graph& graph,
                                               const std::map<std::string, TensorRange, std::less<>>& inputs) {
  const detail::TypedGraph typed(graph);
  return detail::RangePropagation(graph).run(inputs);
}

}  // namespace graft::inline v1::qonnx
