#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::kernels::detail {

/// The sliding window of Conv and of the pools. One code serves one to three spatial axes: fewer stand behind axes of
/// extent 1.
struct Window {
  static constexpr std::size_t axes = 3;
  using Extents = std::array<std::int64_t, axes>;

  std::size_t rank = 0;  // spatial axes that the operator has
  Extents input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  Extents pad_begin{0, 0, 0}, pad_end{0, 0, 0};

  static std::int64_t volume(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }
  std::int64_t input_size() const { return volume(input); }
  std::int64_t output_size() const { return volume(output); }
  std::int64_t kernel_size() const { return volume(kernel); }
  /// Runs of outputs along the innermost axis.
  std::int64_t output_rows() const { return output[0] * output[1]; }

  /// Every output reads just the input at its own place.
  bool pointwise() const {
    return kernel_size() == 1 && volume(stride) == 1 && input == output && pad_begin == Extents{0, 0, 0};
  }

  /// The outputs [first, last) along an axis whose window position k falls inside the input.
  std::pair<std::int64_t, std::int64_t> inside(std::size_t axis, std::int64_t k) const {
    const std::int64_t shift = k * dilation[axis] - pad_begin[axis];
    const std::int64_t s = stride[axis];
    const std::int64_t first = shift >= 0 ? 0 : (-shift + s - 1) / s;
    const std::int64_t last = shift >= input[axis] ? 0 : (input[axis] - shift + s - 1) / s;
    return {first, std::max(first, std::min(last, output[axis]))};
  }

  /// For the output rows [first, last): calls f(output offset, input offset, kernel position, count) for each run of
  /// outputs that read, `stride[2]` apart, a run of inputs at one position of the kernel. What falls on padding is left
  /// out.
  template <class F>
  void each_run(std::int64_t first_row, std::int64_t last_row, F&& f) const {
    for (std::int64_t row = first_row; row < last_row; ++row) {
      const std::int64_t d = row / output[1];
      const std::int64_t h = row % output[1];
      for (std::int64_t kd = 0; kd < kernel[0]; ++kd) {
        const std::int64_t in_d = d * stride[0] - pad_begin[0] + kd * dilation[0];
        if (in_d < 0 || in_d >= input[0]) continue;
        for (std::int64_t kh = 0; kh < kernel[1]; ++kh) {
          const std::int64_t in_h = h * stride[1] - pad_begin[1] + kh * dilation[1];
          if (in_h < 0 || in_h >= input[1]) continue;
          for (std::int64_t kw = 0; kw < kernel[2]; ++kw) {
            const auto [begin, end] = inside(2, kw);
            if (begin == end) continue;
            const std::int64_t in_w = begin * stride[2] - pad_begin[2] + kw * dilation[2];
            f(row * output[2] + begin, (in_d * input[1] + in_h) * input[2] + in_w,
              (kd * kernel[1] + kh) * kernel[2] + kw, end - begin);
          }
        }
      }
    }
  }
  template <class F>
  void each_run(F&& f) const {
    each_run(0, output_rows(), std::forward<F>(f));
  }
};

/// One of the attributes of a window that have so many numbers, all `fallback` if it is absent.
inline Ints window_attribute(const KernelContext& ctx, std::string_view name, std::size_t count,
                             std::int64_t fallback) {
  Ints values = ctx.optional_attr<Ints>(name).value_or(Ints{});
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) throw failure({"expected ", count, " numbers, not ", values}).field(name);
  return values;
}

inline std::string_view read_auto_pad(const KernelContext& ctx) {
  const auto value = ctx.attr_or<std::string_view>("auto_pad", "NOTSET");
  if (value.empty()) return "NOTSET";
  for (const std::string_view known : {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}) {
    if (value == known) return value;
  }
  throw failure({"unknown value ", value}).field("auto_pad");
}

/// Throws Error unless the window has 1 to 3 spatial axes, and all its extents and steps are positive.
inline void check_window(const Dims& dims, const Ints& kernel, const Ints& strides, const Ints& dilations) {
  if (dims.size() < 3 || dims.size() > 2 + Window::axes)
    throw failure({"an input of ", dims, " has not 1 to 3 spatial axes"});
  if (kernel.size() != dims.size() - 2) throw failure({"a kernel of ", kernel, " on an input of ", dims});
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (kernel[i] < 1 || strides[i] < 1 || dilations[i] < 1)
      throw Error("kernel, strides and dilations must be positive");
  }
}

/// Reads strides, dilations, pads and auto_pad. dims are those of the whole input, [N, C, spatial...]; kernel those of
/// the window. Output extents: ONNX MaxPool-22. ceil_mode adds no window that would start beyond the input and its
/// leading padding.
inline Window read_window(const KernelContext& ctx, const Dims& dims, const Ints& kernel, bool ceil_mode = false) {
  Window window;
  window.rank = kernel.size();
  const Ints strides = window_attribute(ctx, "strides", window.rank, 1);
  const Ints dilations = window_attribute(ctx, "dilations", window.rank, 1);
  const Ints pads = window_attribute(ctx, "pads", 2 * window.rank, 0);
  check_window(dims, kernel, strides, dilations);
  const std::string_view auto_pad = read_auto_pad(ctx);
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";

  for (std::size_t i = 0; i < window.rank; ++i) {
    const std::size_t axis = Window::axes - window.rank + i;
    const std::int64_t in = dims[2 + i];
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t out = 0;
    if (same) {
      out = (in + strides[i] - 1) / strides[i];
      const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * strides[i] + reach - in);
      begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      end = total - begin;
    } else {
      const bool valid = auto_pad == "VALID";
      if (!valid) {
        begin = pads[i];
        end = pads[window.rank + i];
      }
      const std::int64_t slack = in + begin + end - reach;
      if (slack < 0) throw failure({"a window of ", reach, " does not fit an input of ", dims});
      out = slack / strides[i] + 1;
      if (ceil_mode && !valid && slack % strides[i] != 0 && out * strides[i] < in + begin) ++out;
    }
    window.input[axis] = in;
    window.output[axis] = out;
    window.kernel[axis] = kernel[i];
    window.stride[axis] = strides[i];
    window.dilation[axis] = dilations[i];
    window.pad_begin[axis] = begin;
    window.pad_end[axis] = end;
  }
  return window;
}

/// [N, C, the window's output extents]
inline Dims output_dims(std::int64_t batch, std::int64_t channels, const Window& window) {
  Dims dims{batch, channels};
  dims.insert(dims.end(), window.output.end() - static_cast<std::ptrdiff_t>(window.rank), window.output.end());
  return dims;
}

}  // namespace graft::inline v1::kernels::detail
