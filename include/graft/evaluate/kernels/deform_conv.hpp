#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/sample.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/kernels/conv.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The reading positions of a deformed window, and their factors: offsets [N, groups * kernel * axes, output...], and
/// an optional mask [N, groups * kernel, output...].
struct Deformation {
  const Window& window;
  std::int64_t groups;
  std::vector<double> offsets, mask;

  /// The sample at kernel position k for one output, and its factor.
  Sample sample(std::int64_t image_group, std::int64_t k, std::int64_t out) const {
    Sample sample;
    std::int64_t k_rest = k, out_rest = out;
    Window::Extents k_at{}, out_at{};
    for (std::size_t axis = Window::axes; axis-- > 0;) {
      k_at[axis] = k_rest % window.kernel[axis];
      out_at[axis] = out_rest % window.output[axis];
      k_rest /= window.kernel[axis];
      out_rest /= window.output[axis];
    }
    const auto rank = to_int(window.rank);
    for (std::size_t i = 0; i < window.rank; ++i) {
      const std::size_t axis = Window::axes - window.rank + i;
      const std::int64_t offset = ((image_group * window.kernel_size() + k) * rank + to_int(i)) * window.output_size();
      const std::int64_t place = out_at[axis] * window.stride[axis] - window.pad_begin[axis] +
                                 k_at[axis] * window.dilation[axis];
      const double at = offsets[to_size(offset + out)] + static_cast<double>(place);
      sample.along(window.input[axis], neighbours_inside(at, window.input[axis], Interpolation{}));
    }
    return sample;
  }
  double factor(std::int64_t image_group, std::int64_t k, std::int64_t out) const {
    if (mask.empty()) return 1;
    return mask[to_size((image_group * window.kernel_size() + k) * window.output_size() + out)];
  }
};

/// The columns that the windows read, [N * channels, kernel, output].
template <class T>
std::vector<T> deformed_columns(const Tensor& x, const Deformation& how) {
  const std::int64_t k_size = how.window.kernel_size(), out_size = how.window.output_size();
  const std::int64_t per_group = x.dims()[1] / how.groups;
  std::vector<T> columns = scratch<T>(x.dims()[0] * x.dims()[1] * k_size, out_size);
  for (std::int64_t group = 0; group < x.dims()[0] * how.groups; ++group) {
    for (std::int64_t i = 0; i < k_size * out_size; ++i) {
      const Sample sample = how.sample(group, i / out_size, i % out_size);
      const double factor = how.factor(group, i / out_size, i % out_size);
      for (std::int64_t image = group * per_group; image < (group + 1) * per_group; ++image) {
        const T* from = x.data<T>().data() + image * how.window.input_size();
        columns[to_size(image * k_size * out_size + i)] = static_cast<T>(factor * sample.of(from));
      }
    }
  }
  return columns;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// Dai and others, "Deformable Convolutional Networks", 2017: a convolution whose windows read at offsets, with linear
/// interpolation between elements and zeros outside.
inline void deform_conv(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const DType wide = detail::computed_in(dtype);
  const Tensor x = detail::cast(ctx.take_input(0), wide);
  const Tensor w = detail::cast(ctx.take_input(1), wide);
  const detail::Window window = detail::conv_window(ctx, x.dims(), w.dims());
  const auto groups = ctx.attr<std::int64_t>("group");
  detail::Deformation how{window, ctx.attr<std::int64_t>("offset_group"), ctx.input(2).to<double>(), {}};
  const std::int64_t channels = x.dims()[1], filters = w.dims()[0];
  if (groups < 1 || how.groups < 1 || channels % how.groups != 0 || channels % groups != 0 || filters % groups != 0 ||
      w.dims()[1] != channels / groups) {
    throw detail::failure({"weights of ", w.dims(), " in ", groups, " groups on an input of ", x.dims()});
  }
  Dims dims = detail::output_dims(x.dims()[0], how.groups * window.kernel_size(), window);
  if (ctx.has_input(4)) how.mask = ctx.input(4).to<double>();
  if (ctx.has_input(4) && ctx.input(4).dims() != dims)
    throw detail::failure({"a mask of ", ctx.input(4), " instead of ", dims});
  dims[1] *= detail::to_int(window.rank);
  if (ctx.input(2).dims() != dims) throw detail::failure({"offsets of ", ctx.input(2), " instead of ", dims});

  dims[1] = filters;
  Tensor y = detail::spread_biases(ctx, 3, wide, dims);
  detail::visit<float, double>(wide, [&]<class T>() {
    const std::vector<T> columns = detail::deformed_columns<T>(x, how);
    const detail::Product product{filters / groups, channels / groups * window.kernel_size(), window.output_size()};
    for (std::int64_t part = 0; part < dims[0] * groups; ++part) {
      detail::add_product(product, w.data<T>().data() + part % groups * product.m * product.k,
                          columns.data() + part * product.k * product.n,
                          y.mutable_data<T>().data() + part * product.m * product.n);
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void add_deform_conv(Kernels& kernels) { kernels.add("DeformConv", deform_conv); }

}  // namespace graft::inline v1::standard_kernels
