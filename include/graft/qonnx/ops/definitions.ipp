#pragma once
#include <graft/qonnx/ops/definitions.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/matmul.hpp>
#include <graft/graph/infer/pool.hpp>
#include <graft/graph/infer/window.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/ops/kernels/channels_last.hpp>
#include <graft/qonnx/ops/kernels/im2col.hpp>
#include <graft/qonnx/ops/kernels/multi_threshold.hpp>
#include <graft/qonnx/ops/kernels/quant.hpp>
#include <graft/qonnx/ops/kernels/quant_avg_pool.hpp>
#include <graft/qonnx/ops/kernels/xnor_popcount.hpp>
#include <graft/qonnx/ops/operators.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The output has the shape of the first input, to which `parameters` others broadcast.
template <std::size_t parameters>
Verdict like_input(InferContext& c) {
  c.set(0, DType::f32, c.shape(0));
  const Shape x = c.shape(0);
  for (std::size_t i = 1; i <= parameters; ++i) {
    const Shape p = c.shape(i);
    if (!x.known() || !p.known()) continue;
    if (p.rank() > x.rank()) return Verdict::no("a parameter has more axes than the input");
    for (std::size_t axis = 0; axis < p.rank(); ++axis) {
      const Dim extent = p[axis], wanted = x[x.rank() - p.rank() + axis];
      if (extent.known() && wanted.known() && extent != Dim(1) && extent != wanted)
        return Verdict::no("a parameter does not broadcast to the input");
    }
  }
  return Verdict::yes();
}

/// [N, H, W, C] to [N, places along H, places along W, kernel * C].
inline Verdict im2col_shape(InferContext& c) {
  const Shape x = c.shape(0);
  c.set_dtype(0, DType::f32);
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 4) return Verdict::no("the input is not an image");
  const Im2ColWindow window(c.node());
  std::vector<Dim> dims{x[0], Dim(), Dim(), infer::multiply(x[3], window.kernel[0] * window.kernel[1])};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (!x[axis + 1].known()) continue;
    const auto places = window.places(axis, x[axis + 1].value());
    if (!places) return Verdict::no("the window is larger than the padded image");
    dims[axis + 1] = Dim(*places);
  }
  c.set_shape(0, std::move(dims));
  return Verdict::yes();
}

inline Verdict quant_avg_pool_shape(InferContext& c) {
  const Shape x = c.shape(0);
  c.set_dtype(0, DType::f32);
  if (!x.known()) return Verdict::yes();
  if (x.rank() != 4) return Verdict::no("the input is not an image");
  const std::int64_t kernel = c.attr("kernel", 0), stride = c.attr("stride", 0);
  if (kernel < 1 || stride < 1) return Verdict::no("kernel or stride is missing, or no number of places");
  const std::size_t first = c.attr<std::string>("data_layout").value_or("NCHW") == "NHWC" ? 1 : 2;
  std::vector<Dim> dims = infer::to_dims(x);
  for (std::size_t axis = first; axis < first + 2; ++axis) {
    if (dims[axis].known() && dims[axis].value() < kernel) return Verdict::no("the window is larger than the image");
    dims[axis] = dims[axis].known() ? Dim((dims[axis].value() - kernel) / stride + 1) : Dim();
  }
  c.set_shape(0, std::move(dims));
  return Verdict::yes();
}

inline Verdict channels_last_pool_shape(InferContext& c) {
  c.set_dtype(0, DType::f32);
  return infer::slide(c, true);
}

/// The weight is [M, kernel..., C / group].
inline Verdict channels_last_conv_shape(InferContext& c) {
  const Shape x = c.shape(0), w = c.shape(1);
  c.set_dtype(0, DType::f32);
  if (!x.known() || !w.known()) return Verdict::yes();
  if (x.rank() < 3 || x.rank() != w.rank()) return Verdict::no("input and weight differ in rank");
  const std::vector<Dim> weight = infer::to_dims(w);
  const auto window = infer::Window::read(c, {weight.begin() + 1, weight.end() - 1});
  if (!window) return Verdict::no("kernel_shape, strides, dilations or pads do not fit the spatial axes");
  std::vector<Dim> dims = infer::to_dims(x);
  if (!infer::unify(dims.back(), infer::multiply(weight.back(), c.attr("group", 1))))
    return Verdict::no("the channels are not those of the weight times group");
  dims.back() = weight.front();
  for (std::size_t axis = 0; axis < window->rank(); ++axis) {
    const auto dim = window->output(axis, dims[axis + 1]);
    if (!dim) return Verdict::no("the kernel is larger than the padded input");
    dims[axis + 1] = *dim;
  }
  c.set_shape(0, std::move(dims));
  return Verdict::yes();
}

inline Verdict xnor_popcount_shape(InferContext& c) {
  c.set_dtype(0, DType::f32);
  return infer::matmul(c);
}

}  // namespace detail

GRAFT_INLINE const Operators& operators() {
  static const Operators all = [] {
    Operators operators;
    for (const std::string_view name : domains) {
      const auto add = [&](std::string_view op_type, InferFunction shape, Kernel kernel) {
        operators.add(to_string(OpName{name, op_type}), {.shape = std::move(shape), .kernel = std::move(kernel)});
      };
      add("BipolarQuant", detail::like_input<1>, bipolar_quant_kernel);
      add("FloatQuant", detail::like_input<5>, float_quant_kernel);
      add("Im2Col", detail::im2col_shape, im2col_kernel);
      add("IntQuant", detail::like_input<3>, quant_kernel);
      add("MaxPoolNHWC", detail::channels_last_pool_shape, max_pool_nhwc_kernel);
      add("MultiThreshold", detail::like_input<0>, multi_threshold_kernel);
      add("Quant", detail::like_input<3>, quant_kernel);
      add("QuantAvgPool2d", detail::quant_avg_pool_shape, quant_avg_pool_kernel);
      add("Trunc", detail::like_input<5>, trunc_kernel);
      add("XnorPopcountMatMul", detail::xnor_popcount_shape, xnor_popcount_kernel);
    }
    const auto add = [&](std::string_view op_type, InferFunction shape) {
      operators.add(to_string(OpName{channels_last_domain, op_type}),
                    {.shape = std::move(shape), .kernel = channels_last_kernel});
    };
    add("BatchNormalization", detail::like_input<0>);
    add("Conv", detail::channels_last_conv_shape);
    add("MaxPool", detail::channels_last_pool_shape);
    return operators;
  }();
  return all;
}

}  // namespace graft::inline v1::qonnx
