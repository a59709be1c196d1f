#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

inline DType window_type(const KernelContext& ctx) {
  return static_cast<DType>(ctx.attr<std::int64_t>("output_datatype"));
}

/// f(2 pi n / N). N is the size, or one less for a symmetric window.
template <class F>
void cosine_window(KernelContext& ctx, const F& f) {
  const auto size = ctx.input(0).item<std::int64_t>();
  Tensor y(DType::f64, {size});
  const std::int64_t period = ctx.attr<std::int64_t>("periodic") != 0 ? size : size - 1;
  double n = 0;
  for (double& value : y.mutable_data<double>())
    value = f(2 * std::numbers::pi * n++ / static_cast<double>(std::max<std::int64_t>(period, 1)));
  ctx.set_output(0, cast(std::move(y), window_type(ctx)));
}

}  // namespace graft::inline v1::standard_kernels::detail

/// HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix.
namespace graft::inline v1::standard_kernels {

inline void hann_window(KernelContext& ctx) {
  detail::cosine_window(ctx, [](double at) { return 0.5 - 0.5 * std::cos(at); });
}

inline void hamming_window(KernelContext& ctx) {
  detail::cosine_window(ctx, [](double at) { return 25.0 / 46 - 21.0 / 46 * std::cos(at); });
}

inline void blackman_window(KernelContext& ctx) {
  detail::cosine_window(ctx, [](double at) { return 0.42 - 0.5 * std::cos(at) + 0.08 * std::cos(2 * at); });
}

/// Triangles over the bins of a spectrum, evenly spaced on the mel scale: mel(f) = 2595 log10(1 + f / 700).
inline void mel_weight_matrix(KernelContext& ctx) {
  const auto bands = ctx.input(0).item<std::int64_t>();
  const auto length = ctx.input(1).item<std::int64_t>();
  const auto rate = ctx.input(2).item<std::int64_t>();
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  if (length < 1 || rate < 1) throw Error("a length or a rate that is not positive");
  const std::int64_t rows = length / 2 + 1;
  Tensor y(DType::f64, {rows, bands});
  const double low = mel(ctx.input(3).item<double>());
  const double step = (mel(ctx.input(4).item<double>()) - low) / (static_cast<double>(bands) + 2);
  const auto edge = [&](std::int64_t i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + low) / 2595) - 1);
    const double bin = std::floor((static_cast<double>(length) + 1) * hertz / static_cast<double>(rate));
    if (!(bin >= 0 && bin < static_cast<double>(rows))) throw Error("an edge lies outside of the spectrum");
    return static_cast<std::int64_t>(bin);
  };
  double* const weight = y.mutable_data<double>().data();
  for (std::int64_t band = 0; band < bands; ++band) {
    const std::int64_t left = edge(band), center = edge(band + 1), right = edge(band + 2);
    for (std::int64_t i = left; i < center; ++i)
      weight[i * bands + band] = static_cast<double>(i - left) / static_cast<double>(center - left);
    for (std::int64_t i = center; i < right; ++i)
      weight[i * bands + band] = static_cast<double>(right - i) / static_cast<double>(right - center);
    weight[center * bands + band] = 1;
  }
  ctx.set_output(0, detail::cast(std::move(y), detail::window_type(ctx)));
}

inline void add_signal_window(Kernels& kernels) {
  kernels.add("HannWindow", hann_window)
      .add("HammingWindow", hamming_window)
      .add("BlackmanWindow", blackman_window)
      .add("MelWeightMatrix", mel_weight_matrix);
}

}  // namespace graft::inline v1::standard_kernels
