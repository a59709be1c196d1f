#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>

namespace graft::inline v1::infer {

/// Moves channels from the last axis to the second, or back, for operators with channels last.
inline void channels_to_front(std::vector<Dim>& dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
}
inline void channels_to_back(std::vector<Dim>& dims) {
  if (dims.size() > 2) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
}

/// The window of a convolution or pool over its spatial axes: one entry per axis; pads are all begins, then all ends.
struct Window {
  enum class Padding { given, same, valid };
  /// The greatest value of the numbers in a computation of extents, so that it cannot overflow.
  static constexpr std::int64_t limit = std::int64_t{1} << 31;

  std::vector<Dim> kernel;
  Ints strides, dilations, pads;
  Padding padding = Padding::given;
  bool ceil_mode = false;

  std::size_t rank() const { return kernel.size(); }

  /// Reads kernel_shape, strides, dilations, pads, auto_pad and ceil_mode. `kernel` replaces a missing kernel_shape.
  /// nullopt if their lengths do not fit, or if a value is out of range.
  static std::optional<Window> read(const InferContext& c, std::vector<Dim> kernel) {
    Window window;
    if (const auto shape = c.attr<Ints>("kernel_shape"); shape && !shape->empty()) {
      if (shape->size() != kernel.size()) return std::nullopt;
      if (std::any_of(shape->begin(), shape->end(), [](std::int64_t extent) { return extent < 1; }))
        return std::nullopt;
      kernel.assign(shape->begin(), shape->end());
    }
    window.kernel = std::move(kernel);
    const auto list = [&](std::string_view name, std::size_t size, std::int64_t otherwise, std::int64_t lowest) {
      Ints values = c.attr<Ints>(name).value_or(Ints());
      if (values.empty()) values.assign(size, otherwise);
      const bool sound = std::all_of(values.begin(), values.end(), [&](auto v) { return v >= lowest && v <= limit; });
      return sound ? values : Ints();
    };
    const std::size_t rank = window.rank();
    window.strides = list("strides", rank, 1, 1);
    window.dilations = list("dilations", rank, 1, 1);
    window.pads = list("pads", 2 * rank, 0, -limit);
    const std::string_view auto_pad = c.attr<std::string_view>("auto_pad").value_or("NOTSET");
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") window.padding = Padding::same;
    if (auto_pad == "VALID") window.padding = Padding::valid;
    if (window.padding != Padding::given) window.pads.assign(2 * rank, 0);
    window.ceil_mode = c.attr("ceil_mode", 0) != 0;
    const bool fits =
        window.strides.size() == rank && window.dilations.size() == rank && window.pads.size() == 2 * rank;
    return fits ? std::optional(std::move(window)) : std::nullopt;
  }

  std::int64_t padding_of(std::size_t axis) const { return pads[axis] + pads[axis + rank()]; }
  /// The extent of the dilated kernel.
  Dim reach(std::size_t axis) const {
    if (!kernel[axis].known() || kernel[axis].value() > limit) return {};
    return (kernel[axis].value() - 1) * dilations[axis] + 1;
  }

  /// The number of window positions along an axis of this extent; nullopt if the window does not fit at all.
  std::optional<Dim> output(std::size_t axis, const Dim& input) const {
    const std::int64_t stride = strides[axis];
    if (padding == Padding::same) {
      if (stride == 1) return input;
      return input.known() ? Dim(input.value() / stride + (input.value() % stride != 0)) : Dim();
    }
    const Dim extent = reach(axis);
    if (!extent.known()) return Dim();
    if (stride == 1 && padding_of(axis) + 1 == extent.value()) return input;
    if (!input.known() || input.value() > limit) return Dim();
    const std::int64_t room = input.value() + padding_of(axis) - extent.value();
    if (room < 0) return std::nullopt;
    std::int64_t places = room / stride + 1;
    if (ceil_mode && room % stride != 0) {
      // A final, partial window must begin inside the input or the padding before it.
      if (places * stride < input.value() + pads[axis]) ++places;
    }
    return Dim(places);
  }

  /// The output extent of a transposed convolution along an axis. Unknown for "same" padding with a kernel smaller than
  /// the stride, because runtimes disagree about it.
  Dim transposed_output(std::size_t axis, const Dim& input, std::int64_t output_padding) const {
    const Dim extent = reach(axis);
    if (!input.known() || input.value() > limit || !extent.known()) return {};
    if (padding == Padding::same) return extent.value() < strides[axis] ? Dim() : Dim(input.value() * strides[axis]);
    const std::int64_t reached = strides[axis] * (input.value() - 1) + output_padding + extent.value();
    return reached < padding_of(axis) ? Dim() : Dim(reached - padding_of(axis));
  }
};

}  // namespace graft::inline v1::infer
