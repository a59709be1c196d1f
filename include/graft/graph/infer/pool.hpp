#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/window.hpp>

namespace graft::inline v1::infer {

/// Slides a window over input 0. MaxPool's second output, the indices, has the same shape as the first.
inline Verdict slide(InferContext& c, bool channels_last) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() < 3) return Verdict::no("the input of a pool has no spatial axis");
  const auto window = Window::read(c, std::vector<Dim>(x.rank() - 2));
  if (!window) return Verdict::no("kernel_shape, strides, dilations or pads do not fit the spatial axes");
  std::vector<Dim> out = to_dims(x);
  if (channels_last) channels_to_front(out);
  for (std::size_t axis = 0; axis < window->rank(); ++axis) {
    const auto dim = window->output(axis, out[axis + 2]);
    if (!dim) return Verdict::no("the window is larger than the padded input");
    out[axis + 2] = *dim;
  }
  if (channels_last) channels_to_back(out);
  const Shape shape(std::move(out));
  c.set_shape(0, shape);
  c.set_shape(1, shape);
  return Verdict::yes();
}

/// MaxPool, AveragePool, LpPool.
inline Verdict pool(InferContext& c) { return slide(c, c.attr("channels_last", 0) != 0); }

/// GlobalAveragePool, GlobalMaxPool, GlobalLpPool.
inline Verdict global_pool(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  if (x.rank() < 2) return Verdict::no("the input of a pool has no channels");
  std::vector<Dim> out(x.rank(), Dim(1));
  const std::size_t channels = c.attr("channels_last", 0) != 0 ? x.rank() - 1 : 1;
  out[0] = x[0];
  out[channels] = x[channels];
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// MaxUnpool. The output is the smallest input of a MaxPool with the same attributes, unless the third input gives its
/// shape.
inline Verdict max_unpool(InferContext& c) {
  const Shape x = c.shape(0);
  if (c.has(2)) {
    const Contents* const wanted = c.contents(2);
    if (wanted == nullptr) return Verdict::yes();
    std::vector<Dim> out;
    for (const Integer& dim : wanted->elements) out.push_back(dim.dim());
    c.set_shape(0, std::move(out));
    return Verdict::yes();
  }
  if (!x.known()) return Verdict::yes();
  if (x.rank() < 3) return Verdict::no("the input of a pool has no spatial axis");
  const auto window = Window::read(c, std::vector<Dim>(x.rank() - 2));
  if (!window) return Verdict::no("kernel_shape, strides or pads do not fit the spatial axes");
  std::vector<Dim> out{x[0], x[1]};
  for (std::size_t axis = 0; axis < window->rank(); ++axis) {
    out.push_back(window->transposed_output(axis, x[axis + 2], 0));
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
