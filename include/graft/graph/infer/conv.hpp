#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/window.hpp>

namespace graft::inline v1::infer {

/// A convolution of input x [N, C, spatial...] with weight w [M, C / group, kernel...] into [N, M, spatial...]. In
/// com.microsoft, x and the output may have their channels last.
inline Verdict convolve(InferContext& c, std::size_t x_input, std::size_t w_input) {
  const Shape x = c.shape(x_input), w = c.shape(w_input);
  if (!x.known() && !w.known()) return Verdict::yes();
  const std::size_t rank = x.known() ? x.rank() : w.rank();
  if (rank < 3) return Verdict::no("the input of a convolution has no spatial axis");
  if (x.known() && w.known() && x.rank() != w.rank()) return Verdict::no("input and weight differ in rank");
  const std::vector<Dim> none(rank), weight = w.known() ? to_dims(w) : none;
  std::vector<Dim> in = x.known() ? to_dims(x) : none;
  const bool channels_last = c.attr("channels_last", 0) != 0;
  if (channels_last) channels_to_front(in);
  const auto window = Window::read(c, {weight.begin() + 2, weight.end()});
  if (!window) return Verdict::no("kernel_shape, strides, dilations or pads do not fit the spatial axes");
  const Dim channels = multiply(weight[1], c.attr("group", 1));
  if (!unify(in[1], channels)) return Verdict::no("the channels are not those of the weight times group");
  std::vector<Dim> out{in[0], weight[0]};
  for (std::size_t axis = 0; axis < window->rank(); ++axis) {
    const auto dim = window->output(axis, in[axis + 2]);
    if (!dim) return Verdict::no("the kernel is larger than the padded input");
    out.push_back(*dim);
  }
  if (channels_last) channels_to_back(out);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Conv, ConvInteger, DeformConv.
inline Verdict conv(InferContext& c) { return convolve(c, 0, 1); }

/// QLinearConv: x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B.
inline Verdict qlinear_conv(InferContext& c) { return convolve(c, 0, 3); }

/// ConvTranspose: the weight is [C, M / group, kernel...].
inline Verdict conv_transpose(InferContext& c) {
  const Shape x = c.shape(0), w = c.shape(1);
  if (!x.known() || !w.known()) return Verdict::yes();
  if (x.rank() < 3 || x.rank() != w.rank()) return Verdict::no("input and weight differ in rank");
  const std::vector<Dim> weight = to_dims(w);
  const auto window = Window::read(c, {weight.begin() + 2, weight.end()});
  if (!window) return Verdict::no("kernel_shape, strides, dilations or pads do not fit the spatial axes");
  if (!unify(x[1], weight[0])) return Verdict::no("the channels are not those of the weight");
  const auto list = [&](std::string_view name) {
    Ints values = c.attr<Ints>(name).value_or(Ints());
    if (values.empty()) values.assign(window->rank(), 0);
    const bool sound = std::all_of(values.begin(), values.end(),
                                   [](auto v) { return v >= -Window::limit && v <= Window::limit; });
    return sound ? values : Ints();
  };
  const Ints output_shape = list("output_shape"), output_padding = list("output_padding");
  if (output_shape.size() != window->rank() || output_padding.size() != window->rank()) {
    return Verdict::no("output_shape or output_padding does not fit the spatial axes");
  }
  std::vector<Dim> out{x[0], multiply(weight[1], c.attr("group", 1))};
  for (std::size_t axis = 0; axis < window->rank(); ++axis) {
    out.push_back(output_shape[axis] > 0 ? Dim(output_shape[axis])
                                         : window->transposed_output(axis, x[axis + 2], output_padding[axis]));
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
