#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The sliding window of Conv and of the pools. One implementation serves one to three spatial axes: missing leading
/// axes have extent 1.
struct Window {
  static constexpr std::size_t axes = 3;
  using Extents = std::array<std::int64_t, axes>;

  std::size_t rank = 0;  // number of the operator's spatial axes
  Extents input{1, 1, 1}, output{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1};
  Extents pad_begin{0, 0, 0}, pad_end{0, 0, 0};

  static std::int64_t volume(const Extents& extents) { return extents[0] * extents[1] * extents[2]; }
  std::int64_t input_size() const { return volume(input); }
  std::int64_t output_size() const { return volume(output); }
  std::int64_t kernel_size() const { return volume(kernel); }
  /// Runs of outputs along the innermost axis.
  std::int64_t output_rows() const { return output[0] * output[1]; }

  /// Whether every output reads only the input at its own position.
  bool pointwise() const {
    return kernel_size() == 1 && stride == Extents{1, 1, 1} && input == output && pad_begin == Extents{0, 0, 0};
  }

  /// The outputs [first, last) along an axis whose window position k is inside the input.
  std::pair<std::int64_t, std::int64_t> inside(std::size_t axis, std::int64_t k) const {
    const std::int64_t shift = k * dilation[axis] - pad_begin[axis];
    const std::int64_t s = stride[axis];
    const std::int64_t first = shift >= 0 ? 0 : (-shift + s - 1) / s;
    const std::int64_t last = shift >= input[axis] ? 0 : (input[axis] - shift + s - 1) / s;
    return {first, std::max(first, std::min(last, output[axis]))};
  }

  /// The window positions [first, last) along an axis that are inside the input for an output.
  std::pair<std::int64_t, std::int64_t> covered(std::size_t axis, std::int64_t out) const {
    const std::int64_t start = out * stride[axis] - pad_begin[axis];
    const std::int64_t d = dilation[axis];
    const std::int64_t first = start >= 0 ? 0 : (-start + d - 1) / d;
    const std::int64_t last = start >= input[axis] ? 0 : std::min((input[axis] - start + d - 1) / d, kernel[axis]);
    return {std::min(first, last), last};
  }

  /// For the output rows [first, last), calls f(output offset, input offset, kernel position, count) for each run of
  /// outputs that read inputs `stride[2]` apart at one position of the kernel. Padding is skipped.
  template <class F>
  void each_run(std::int64_t first_row, std::int64_t last_row, F&& f) const {
    const std::int64_t first_w = covered(2, output[2] - 1).first, last_w = covered(2, 0).second;
    for (std::int64_t row = first_row; row < last_row; ++row) {
      const std::int64_t d = row / output[1];
      const std::int64_t h = row % output[1];
      const auto [first_d, last_d] = covered(0, d);
      const auto [first_h, last_h] = covered(1, h);
      for (std::int64_t kd = first_d; kd < last_d; ++kd) {
        const std::int64_t in_d = d * stride[0] - pad_begin[0] + kd * dilation[0];
        for (std::int64_t kh = first_h; kh < last_h; ++kh) {
          const std::int64_t in_h = h * stride[1] - pad_begin[1] + kh * dilation[1];
          for (std::int64_t kw = first_w; kw < last_w; ++kw) {
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

/// The common attributes of operators with a window.
struct WindowAttributes {
  /// The limit of the numbers from which extents are computed, so that nothing overflows.
  static constexpr std::int64_t limit = std::int64_t{1} << 31;

  Dims input;  // of the spatial axes
  Ints kernel, strides, dilations, pads;
  std::string_view auto_pad;

  /// dims: the whole input, [N, C, spatial...]. Throws Error unless there are 1 to 3 spatial axes, the kernel has the
  /// same number, all steps are positive, and all numbers are within the limit.
  WindowAttributes(const KernelContext& ctx, const Dims& dims, const Ints& extents) : kernel(extents) {
    if (dims.size() < 3 || dims.size() > 2 + Window::axes)
      throw failure({"an input of ", dims, " does not have 1 to 3 spatial axes"});
    if (kernel.size() != dims.size() - 2) throw failure({"a kernel of ", kernel, " on an input of ", dims});
    input.assign(dims.begin() + 2, dims.end());
    check("input", input, 0);
    check("kernel_shape", kernel, 1);
    strides = list(ctx, "strides", rank(), 1, 1);
    dilations = list(ctx, "dilations", rank(), 1, 1);
    pads = list(ctx, "pads", 2 * rank(), 0, -limit);
    auto_pad = choice(ctx, "auto_pad", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", ""}, "NOTSET");
    if (auto_pad == "VALID") pads.assign(2 * rank(), 0);
  }

  std::size_t rank() const { return kernel.size(); }
  bool same() const { return auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER"; }
  /// The extent of the window along an axis.
  std::int64_t reach(std::size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  /// The part of a total padding in front of the input; SAME_UPPER puts an odd element behind it.
  std::int64_t leading(std::int64_t total) const { return auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2; }

  /// An attribute with one number for each axis, all `fallback` if it is absent.
  static Ints list(const KernelContext& ctx, std::string_view name, std::size_t count, std::int64_t fallback,
                   std::int64_t least) {
    Ints values = list_attribute(ctx, name, count, fallback);
    check(name, values, least);
    return values;
  }

  /// The window along an axis with these extents; missing axes come first.
  void place(Window& window, std::size_t i, std::int64_t in, std::int64_t out, std::int64_t begin,
             std::int64_t end) const {
    const std::size_t axis = Window::axes - rank() + i;
    window.rank = rank();
    window.input[axis] = in;
    window.output[axis] = out;
    window.kernel[axis] = kernel[i];
    window.stride[axis] = strides[i];
    window.dilation[axis] = dilations[i];
    window.pad_begin[axis] = begin;
    window.pad_end[axis] = end;
  }

 private:
  static void check(std::string_view name, const Ints& values, std::int64_t least) {
    for (const std::int64_t value : values) {
      if (value < least || value > limit) throw failure({values, " is out of range"}).field(name);
    }
  }
};

/// Reads the attributes; dims and kernel as for WindowAttributes. Output extents: ONNX MaxPool-22. ceil_mode adds no
/// window that would start behind the input and its leading padding.
inline Window read_window(const KernelContext& ctx, const Dims& dims, const Ints& kernel, bool ceil_mode = false) {
  const WindowAttributes attributes(ctx, dims, kernel);
  Window window;
  Dims product = kernel;
  for (std::size_t i = 0; i < attributes.rank(); ++i) {
    const std::int64_t in = attributes.input[i], stride = attributes.strides[i], reach = attributes.reach(i);
    std::int64_t begin = attributes.pads[i], end = attributes.pads[attributes.rank() + i], out = 0;
    if (attributes.same()) {
      out = ceil_quotient(in, stride);
      const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * stride + reach - in);
      begin = attributes.leading(total);
      end = total - begin;
    } else {
      const std::int64_t slack = in + begin + end - reach;
      if (slack < 0) throw failure({"a window of ", reach, " does not fit an input of ", dims});
      out = slack / stride + 1;
      if (ceil_mode && attributes.auto_pad != "VALID" && slack % stride != 0 && out * stride < in + begin) ++out;
    }
    attributes.place(window, i, in, out, begin, end);
    product.push_back(out);
  }
  element_count(product);  // throws if the columns of a kernel would be too many
  return window;
}

/// The window of Conv over an input, with the kernel extents of the weights [M, C / group, kernel...].
inline Window conv_window(const KernelContext& ctx, const Dims& input, const Dims& weights) {
  if (weights.size() != input.size() || weights.size() < 3)
    throw failure({"weights of ", weights, " on an input of ", input});
  const Ints kernel(weights.begin() + 2, weights.end());
  if (const auto declared = ctx.optional_attr<Ints>("kernel_shape");
      declared && !declared->empty() && *declared != kernel) {
    throw failure({*declared, " is not that of the weights, ", kernel}).field("kernel_shape");
  }
  return read_window(ctx, input, kernel);
}

/// [N, C, the window's output extents]
inline Dims output_dims(std::int64_t batch, std::int64_t channels, const Window& window) {
  Dims dims{batch, channels};
  dims.insert(dims.end(), window.output.end() - static_cast<std::ptrdiff_t>(window.rank), window.output.end());
  return dims;
}

}  // namespace graft::inline v1::standard_kernels::detail
