#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/data_type.hpp>
#include <graft/qonnx/datatype/detail/known_ranges.hpp>
#include <graft/qonnx/datatype/detail/moved_ranges.hpp>
#include <graft/qonnx/datatype/detail/steps.hpp>
#include <graft/qonnx/datatype/detail/taps.hpp>
#include <graft/qonnx/datatype/ranges.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>

namespace graft::inline v1::qonnx::detail {

/// Ranges of products with constant weights. Sums of integers are recorded as accumulators; for others, the reason is
/// recorded.
class ProductRanges {
 public:
  ProductRanges(KnownRanges& known, PropagatedRanges& result) : known_(known), result_(result) {}

  std::optional<TensorRange> conv(const Node& node) {
    Weight w;
    if (!read_weight(node.input(1), w) || w.tensor.rank() < 3)
      return unknown_product(node, "its weight is not constant");
    const auto extent = [&w](std::size_t i) { return static_cast<std::size_t>(w.tensor.dims()[i]); };
    w.outputs = extent(0);
    w.inputs = extent(1);
    w.groups = static_cast<std::size_t>(node.attr<std::int64_t>("group").value_or(1));
    if (w.outputs == 0 || w.inputs == 0 || w.groups == 0 || w.outputs % w.groups != 0) return std::nullopt;
    const std::size_t kernel = w.values.size() / w.outputs / w.inputs;
    w.output = [kernel, inputs = w.inputs](std::size_t i) { return i / kernel / inputs; };
    w.input = [kernel, inputs = w.inputs](std::size_t i) { return i / kernel % inputs; };
    const std::string auto_pad = node.attr<std::string>("auto_pad").value_or("NOTSET");
    const Ints pads = node.attr<Ints>("pads").value_or(Ints());
    const bool has_pads = std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad > 0; });
    const bool is_padded = auto_pad.starts_with("SAME") || (auto_pad == "NOTSET" && has_pads);
    return with_bias(node, after_product(node, w, known_.range(node.input(0)), 1, 1, is_padded), 1, true);
  }

  std::optional<TensorRange> conv_transpose(const Node& node) {
    Weight w;
    if (!read_weight(node.input(1), w) || w.tensor.rank() < 3)
      return unknown_product(node, "its weight is not constant");
    if (node.attr<std::int64_t>("group").value_or(1) != 1) return unknown_product(node, "it has groups");
    w.inputs = static_cast<std::size_t>(w.tensor.dims()[0]);
    w.outputs = static_cast<std::size_t>(w.tensor.dims()[1]);
    if (w.outputs == 0 || w.inputs == 0) return std::nullopt;
    w.output_axis = 1;
    const std::size_t kernel = w.values.size() / w.outputs / w.inputs;
    w.output = [kernel, outputs = w.outputs](std::size_t i) { return i / kernel % outputs; };
    w.input = [kernel, outputs = w.outputs](std::size_t i) { return i / kernel / outputs; };
    // Output pixels may use only a part of the kernel's elements, as if the others read zeros.
    return with_bias(node, after_product(node, w, known_.range(node.input(0)), 1, 1, true), 1, true);
  }

  std::optional<TensorRange> matmul(const Node& node) {
    const bool is_gemm = node.is("Gemm");
    const bool is_weight_first = known_.constants().has(*node.input(0));
    const std::size_t place = is_weight_first ? 0 : 1;
    Weight w;
    if (!read_weight(node.input(place), w) || w.tensor.rank() != 2)
      return unknown_product(node, "no side of it is a constant matrix");
    const auto is_transposed = [&](const char* name) {
      return is_gemm && node.attr<std::int64_t>(name).value_or(0) != 0;
    };
    const bool is_flipped = is_transposed(place == 0 ? "transA" : "transB");
    const bool is_other_flipped = is_transposed(place == 0 ? "transB" : "transA");
    const bool has_rows_of_outputs = is_weight_first != is_flipped;  // [outputs, inputs]
    const auto rows = static_cast<std::size_t>(w.tensor.dims()[0]);
    const auto columns = static_cast<std::size_t>(w.tensor.dims()[1]);
    if (rows == 0 || columns == 0) return std::nullopt;
    w.outputs = has_rows_of_outputs ? rows : columns;
    w.inputs = has_rows_of_outputs ? columns : rows;
    w.output_axis = has_rows_of_outputs ? 0 : 1;
    const auto row = [columns](std::size_t i) { return i / columns; };
    const auto column = [columns](std::size_t i) { return i % columns; };
    if (has_rows_of_outputs) {
      w.output = row, w.input = column;
    } else {
      w.output = column, w.input = row;
    }
    const Value& x = *node.input(1 - place);
    const std::size_t rank = x.shape().rank();
    if (rank < 1 || (rank < 2 && is_weight_first)) return unknown_product(node, "the rank of its input is not known");
    const bool is_last = is_weight_first == is_other_flipped;  // the input's axis that is summed
    const std::size_t summed = is_last || rank < 2 ? rank - 1 : rank - 2;
    const std::size_t channels = is_weight_first ? rank - 2 : rank - 1;
    std::optional<TensorRange> result = after_product(node, w, known_.range(&x), summed, channels, false);
    if (result && is_gemm) {
      scale(*result, node.attr<float>("alpha").value_or(1));
      return with_bias(node, std::move(result), node.attr<float>("beta").value_or(1), !is_weight_first);
    }
    return result;
  }


 private:
  /// A constant weight: the output channel and the input channel of each element.
  struct Weight {
    Tensor tensor{};
    std::vector<double> values{};
    std::size_t outputs = 0, inputs = 0, groups = 1;
    std::size_t output_axis = 0;
    std::function<std::size_t(std::size_t)> output{}, input{};
  };

  bool read_weight(const Value* value, Weight& weight) {
    const std::optional<Tensor> tensor = known_.constants().find(value);
    if (!tensor || tensor->size() == 0) return false;
    weight.tensor = *tensor;
    weight.values = tensor->to<double>();
    return true;
  }

  std::optional<TensorRange> unknown_product(const Node& node, std::string why) {
    result_.unknown.push_back({&node, std::move(why)});
    return TensorRange();
  }

  std::optional<TensorRange> after_product(const Node& node, const Weight& w, TensorRange x, std::size_t summed,
                                           std::size_t channels, bool is_padded) {
    if (x.is_per_channel() && (x.axis != summed || x.min.size() != w.inputs * w.groups)) x = x.whole();
    if (is_padded) include(x, 0);
    Taps taps(w.outputs, w.inputs, w.groups);
    for (std::size_t i = 0; i < w.values.size(); ++i) taps.add(w.output(i), w.input(i), w.values[i]);
    TensorRange result = sums(taps, x);
    result.axis = channels;
    if (!accumulate(node, w, x, summed, result))
      result_.unknown.push_back({&node, "its operands are not known to be integers times a scale, within bounds"});
    return result;
  }

  /// Whether the product is a sum of integers. Records it then, and sets the step of the result.
  bool accumulate(const Node& node, const Weight& w, const TensorRange& x, std::size_t summed, TensorRange& result) {
    const Steps weight_step = steps_of_weight(node, w);
    if (!x.is_bounded() || x.step.empty() || weight_step.step.empty()) return false;
    const bool has_step_each = x.step.size() > 1;
    if (has_step_each && (w.inputs != 1 || x.step_axis != summed || x.step.size() != w.groups)) return false;
    Taps taps(w.outputs, w.inputs, w.groups);
    for (std::size_t i = 0; i < w.values.size(); ++i) {
      const std::size_t m = w.output(i);
      const double step = weight_step.step[weight_step.step.size() == 1 ? 0 : m];
      const std::optional<double> steps = in_steps(w.values[i], step);
      if (!steps) return false;
      taps.add(m, w.input(i), *steps);
    }
    const auto step_of = [&x, has_step_each](std::size_t channel) { return x.step[has_step_each ? channel : 0]; };
    TensorRange integers = x;
    if (has_step_each && !x.is_per_channel()) {
      integers.min.assign(w.groups, x.min[0]);
      integers.max.assign(w.groups, x.max[0]);
    }
    for (std::size_t i = 0; i < integers.min.size(); ++i) {
      double least = integers.min[i] / step_of(i), most = integers.max[i] / step_of(i);
      if (step_of(i) < 0) std::swap(least, most);
      integers.min[i] = std::ceil(least - 1e-6 * std::fmax(1, std::fabs(least)));
      integers.max[i] = std::floor(most + 1e-6 * std::fmax(1, std::fabs(most)));
    }
    TensorRange sum = sums(taps, integers);
    for (std::size_t m = 0; m < w.outputs; ++m) {
      const double of_input = step_of(taps.first_input(m));
      result.step.push_back(of_input * weight_step.step[weight_step.step.size() == 1 ? 0 : m]);
    }
    if (weight_step.step.size() == 1 && !has_step_each) result.step.resize(1);
    if (result.step.size() > 1) result.step_axis = result.axis;
    const DataType type = DataType::smallest(*std::min_element(sum.min.begin(), sum.min.end()),
                                             *std::max_element(sum.max.begin(), sum.max.end()));
    result_.accumulators.push_back({&node, std::move(sum.min), std::move(sum.max), type});
    return true;
  }

  /// One number, or one for each output channel; empty if unknown.
  Steps steps_of_weight(const Node& node, const Weight& w) {
    const bool is_first = (node.is("MatMul") || node.is("Gemm")) && known_.constants().has(*node.input(0));
    const Value& value = *node.input(is_first ? 0 : 1);
    const Steps steps = detail::steps_of_constant(known_, value);
    if (steps.step.size() > 1 && (steps.axis != w.output_axis || steps.step.size() != w.outputs)) return {};
    return steps;
  }

  static void scale(TensorRange& range, double factor) {
    if (factor == 1) return;
    for (std::size_t i = 0; i < range.min.size(); ++i) {
      range.min[i] = times(factor, range.min[i]);
      range.max[i] = times(factor, range.max[i]);
      if (factor < 0) std::swap(range.min[i], range.max[i]);
    }
    for (double& step : range.step) step *= std::fabs(factor);
    if (factor == 0) range.forget_steps();
  }

  /// channels_last: a vector bias has one number for each output channel.
  std::optional<TensorRange> with_bias(const Node& node, std::optional<TensorRange> result, double factor,
                                       bool channels_last) {
    const Value* const bias = node.input(2);
    if (!result || bias == nullptr) return result;
    const std::optional<Tensor> constant = known_.constants().find(bias);
    const auto channels = static_cast<std::int64_t>(result->min.size());
    const bool is_by_channel = channels_last && constant && constant->size() == channels && constant->rank() > 0 &&
                               constant->dims().back() == channels;
    TensorRange shift = known_.range(bias).whole();
    if (is_by_channel) shift.min = shift.max = constant->to<double>();
    scale(shift, factor);
    for (std::size_t i = 0; i < result->min.size(); ++i) {
      const std::size_t channel = is_by_channel ? i : 0;
      result->min[i] += shift.min[channel];
      result->max[i] += shift.max[channel];
    }
    result->forget_steps();
    return result;
  }

  KnownRanges& known_;
  PropagatedRanges& result_;
};

}  // namespace graft::inline v1::qonnx::detail
