#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/window.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1::standard_kernels::detail {

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
