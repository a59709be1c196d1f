#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/datatype/detail/known_ranges.hpp>
#include <graft/qonnx/datatype/detail/taps.hpp>
#include <graft/qonnx/datatype/tensor_range.hpp>

namespace graft::inline v1::qonnx::detail {

/// The channels of an input in the output: along an axis, each repeated `repeats` times.
struct ChannelPlace {
  std::size_t axis = 0;
  std::size_t repeats = 1;
};

/// The channels after a node that changes the shape and keeps the order of elements.
inline std::optional<ChannelPlace> place_after_reshape(const Shape& in, const Shape& out, std::size_t axis) {
  if (!in.known() || !out.known() || axis >= in.rank() || !in[axis].known()) return std::nullopt;
  const std::int64_t channels = in[axis].value();
  if (channels == 0) return std::nullopt;
  const auto product_before = [](const Shape& shape, std::size_t end) -> std::optional<std::int64_t> {
    std::int64_t result = 1;
    for (std::size_t i = 0; i < end; ++i) {
      if (!shape[i].known()) return std::nullopt;
      result *= shape[i].value();
    }
    return result;
  };
  bool is_same_so_far = true;
  for (std::size_t i = 0; i < out.rank(); ++i) {
    const auto before = product_before(in, axis), after = product_before(out, i);
    const bool starts_alike = before && after ? *before == *after : i == axis && is_same_so_far;
    if (starts_alike && out[i].known() && out[i].value() >= channels && out[i].value() % channels == 0)
      return ChannelPlace{i, static_cast<std::size_t>(out[i].value() / channels)};
    is_same_so_far = is_same_so_far && i < in.rank() && same_size(in[i], out[i]);
  }
  return std::nullopt;
}

/// The channels after a node that moves or removes elements; nullopt if it mixes channels, or this is unknown.
inline std::optional<ChannelPlace> place_after(const Node& node, std::size_t axis) {
  const Value *const x = node.input(0), *const y = node.output(0);
  const Shape in = x->shape(), out = y->shape();
  const auto is_one_of = [&node](const auto& ops) {
    return std::find(ops.begin(), ops.end(), node.op_type()) != ops.end();
  };
  if (node.is("Transpose")) {
    if (!in.known() || axis >= in.rank()) return std::nullopt;
    const auto perm = node.attr<Ints>("perm");
    if (!perm) return ChannelPlace{in.rank() - 1 - axis};
    const auto place = std::find(perm->begin(), perm->end(), static_cast<std::int64_t>(axis));
    return place == perm->end() ? std::nullopt
                                : std::optional(ChannelPlace{static_cast<std::size_t>(place - perm->begin())});
  }
  if (reshapes_elements(node)) return place_after_reshape(in, out, axis);
  constexpr std::array orderly{
      std::string_view("Dropout"),     std::string_view("Expand"),        std::string_view("GlobalAveragePool"),
      std::string_view("Identity"),    std::string_view("GlobalMaxPool"), std::string_view("MaxPool"),
      std::string_view("AveragePool"), std::string_view("ReduceMax"),     std::string_view("ReduceMean"),
      std::string_view("ReduceMin"),   std::string_view("Resize"),        std::string_view("Tile"),
      std::string_view("Upsample")};
  const bool keeps_rank = in.known() && out.known() && in.rank() == out.rank() && axis < in.rank();
  if (!is_one_of(orderly) || !keeps_rank || !in[axis].known() || in[axis] != out[axis]) return std::nullopt;
  return ChannelPlace{axis};
}

inline std::vector<double> repeated(const std::vector<double>& numbers, std::size_t times) {
  std::vector<double> result;
  for (const double number : numbers) result.insert(result.end(), times, number);
  return result;
}

/// Returns the whole range if channels are mixed.
inline TensorRange moved(const Node& node, TensorRange x) {
  if (x.is_per_channel()) {
    if (const std::optional<ChannelPlace> place = place_after(node, x.axis)) {
      x.min = repeated(x.min, place->repeats);
      x.max = repeated(x.max, place->repeats);
      x.axis = place->axis;
    } else {
      x = x.whole();
    }
  }
  if (x.step.size() > 1) {
    if (const std::optional<ChannelPlace> place = place_after(node, x.step_axis)) {
      x.step = repeated(x.step, place->repeats);
      x.step_axis = place->axis;
    } else {
      x.forget_steps();
    }
  }
  return x;
}

/// Widens every channel to include a number.
inline void include(TensorRange& range, double number) {
  for (double& end : range.min) end = std::min(end, number);
  for (double& end : range.max) end = std::max(end, number);
  const bool is_multiple = number == 0 || (range.step.size() == 1 && in_steps(number, range.step[0]));
  if (!is_multiple) range.forget_steps();
}

/// The fill value of a Pad, if that is one constant; if it copies its input, one end of the input's range.
inline std::optional<double> padding_of(KnownRanges& known, const Node& node) {
  if (node.attr<std::string>("mode").value_or("constant") != "constant") {
    const TensorRange x = known.range(node.input(0)).whole();
    return x.min[0];
  }
  if (const auto value = node.attr<float>("value")) return double{*value};
  if (node.input(2) == nullptr) return 0;
  const std::optional<Tensor> constant = known.constants().find(node.input(2));
  return constant && constant->size() == 1 ? std::optional(constant->item<double>()) : std::nullopt;
}

/// The range after a node that moves or removes elements, adds padding, or computes means.
inline std::optional<TensorRange> after_movement(KnownRanges& known, const Node& node) {
  TensorRange x = known.range(node.input(0));
  if (const auto mode = node.attr<std::string>("mode"); mode && (node.is("Resize") || node.is("Upsample"))) {
    if (*mode != "nearest" && *mode != "linear") return std::nullopt;  // cubic curves overshoot
    if (*mode == "linear") x.forget_steps();
  }
  if (node.is("Resize") && node.attr<std::string>("coordinate_transformation_mode") == "tf_crop_and_resize")
    return std::nullopt;
  if (node.is("Pad")) {
    const std::optional<double> padding = padding_of(known, node);
    if (!padding) return std::nullopt;
    include(x, *padding);
  }
  if (node.is("AveragePool") && node.attr<std::int64_t>("count_include_pad").value_or(0) != 0) include(x, 0);
  if (node.is("AveragePool") || node.is("GlobalAveragePool") || node.is("ReduceMean")) x.forget_steps();
  return moved(node, std::move(x));
}

inline std::optional<TensorRange> after_concat(KnownRanges& known, const Node& node) {
  const Shape out = node.output(0)->shape();
  std::int64_t axis = node.attr<std::int64_t>("axis").value_or(1);
  if (axis < 0 && out.known()) axis += static_cast<std::int64_t>(out.rank());
  std::optional<TensorRange> all;
  bool is_along_channels = true;
  for (const Value* const input : node.inputs()) {
    const TensorRange part = known.range(input);
    const Shape shape = input->shape();
    const auto place = static_cast<std::size_t>(axis);
    is_along_channels = is_along_channels && axis >= 0 && shape.known() && place < shape.rank() &&
                        shape[place].known() && (!part.is_per_channel() || part.axis == place);
    if (!all) all = TensorRange::of(INFINITY, -INFINITY, part.step.size() == 1 ? part.step : std::vector<double>());
    if (part.step != all->step) all->forget_steps();
    const TensorRange whole = part.whole();
    all->min[0] = std::min(all->min[0], whole.min[0]);
    all->max[0] = std::max(all->max[0], whole.max[0]);
  }
  if (!all || !is_along_channels) return all;
  all->axis = static_cast<std::size_t>(axis);
  all->min.clear();
  all->max.clear();
  for (const Value* const input : node.inputs()) {
    const TensorRange part = known.range(input);
    const auto extent = static_cast<std::size_t>(input->shape()[all->axis].value());
    const std::size_t times = part.is_per_channel() ? 1 : extent;
    for (const double end : repeated(part.min, times)) all->min.push_back(end);
    for (const double end : repeated(part.max, times)) all->max.push_back(end);
  }
  return all;
}

/// The ranges of the outputs.
inline std::vector<TensorRange> after_split(KnownRanges& known, const Node& node) {
  const TensorRange x = known.range(node.input(0));
  const Shape in = node.input(0)->shape();
  std::int64_t axis = node.attr<std::int64_t>("axis").value_or(0);
  if (axis < 0 && in.known()) axis += static_cast<std::int64_t>(in.rank());
  std::size_t first = 0;
  std::vector<TensorRange> parts;
  for (const Value& output : node.outputs()) {
    TensorRange part = x;
    if (x.step.size() > 1) part.forget_steps();
    if (x.is_per_channel() && x.axis == static_cast<std::size_t>(axis)) {
      const Shape shape = output.shape();
      const bool is_known = shape.known() && x.axis < shape.rank() && shape[x.axis].known();
      const std::size_t count = is_known ? static_cast<std::size_t>(shape[x.axis].value()) : 0;
      if (count == 0 || first + count > x.min.size()) {
        part = part.whole();
        first = x.min.size();
      } else {
        const auto at = [](const std::vector<double>& ends, std::size_t i) {
          return ends.begin() + static_cast<std::ptrdiff_t>(i);
        };
        part.min.assign(at(x.min, first), at(x.min, first + count));
        part.max.assign(at(x.max, first), at(x.max, first + count));
        first += count;
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace graft::inline v1::qonnx::detail
