#pragma once
#include <algorithm>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>

namespace graft::inline v1::standard_kernels::detail {

using Spectrum = std::vector<std::complex<double>>;

/// y[k] = sum of x[n] w^(k n), w = exp(turn / N): recursive halves while N is even (Cooley, Tukey 1965), then the
/// direct sum.
inline Spectrum transformed(const Spectrum& x, std::complex<double> turn) {
  const std::size_t n = x.size();
  Spectrum powers, y(n);
  const std::complex<double> step = turn / static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) powers.push_back(std::exp(step * static_cast<double>(k)));
  if (n % 2 == 0 && n > 0) {
    Spectrum even, odd;
    for (std::size_t i = 0; i < n; ++i) (i % 2 == 0 ? even : odd).push_back(x[i]);
    even = transformed(even, turn);
    odd = transformed(odd, turn);
    for (std::size_t k = 0; k < n; ++k) y[k] = even[k % (n / 2)] + powers[k] * odd[k % (n / 2)];
  } else {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) y[k] += x[i] * powers[k * i % n];
    }
  }
  return y;
}

inline Spectrum fourier(const Spectrum& x, bool inverse) {
  Spectrum y = transformed(x, {0, (inverse ? 2 : -2) * std::numbers::pi});
  if (inverse) {
    for (auto& value : y) value /= static_cast<double>(y.size());
  }
  return y;
}

/// Real signals have a last axis of 1, complex ones of 2.
struct Signals {
  std::vector<double> values;
  std::int64_t parts;

  explicit Signals(const Tensor& x) : Signals(x, x.rank() < 2 ? 0 : x.dims().back()) {}
  Signals(const Tensor& x, std::int64_t numbers) : values(x.to<double>()), parts(numbers) {
    if (parts != 1 && parts != 2) throw failure({x, " holds no signals"});
  }
  std::complex<double> at(std::int64_t i) const {
    return {values[to_size(i * parts)], parts == 2 ? values[to_size(i * parts + 1)] : 0.0};
  }
};

/// Half of the bins of a real signal, and one more, determine the others by symmetry.
inline std::int64_t bins(std::int64_t length, bool onesided) { return onesided ? length / 2 + 1 : length; }

}  // namespace graft::inline v1::standard_kernels::detail

/// DFT, STFT.
namespace graft::inline v1::standard_kernels {

/// Along an axis, which is an attribute below opset 20. The axis is cut or zero-padded to a length.
inline void dft(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const detail::Signals signals(x);
  const std::int64_t declared = ctx.has_input(2)   ? ctx.input(2).item<std::int64_t>()
                                : ctx.opset() < 20 ? ctx.attr<std::int64_t>("axis")
                                                   : -2;
  const std::size_t axis = detail::normalized_axis(declared, x.rank());
  if (axis + 1 == x.rank()) throw detail::failure({"axis ", declared, " of ", x, " holds the parts of a number"});
  Dims dims = x.dims();
  dims.back() = 1;
  const detail::AxisView view(dims, axis);
  const std::int64_t length = ctx.has_input(1) ? ctx.input(1).item<std::int64_t>() : view.extent;
  if (length < 1) throw detail::failure({"a length of ", length, " for ", x});
  dims[axis] = detail::bins(length, ctx.attr<std::int64_t>("onesided") != 0);
  dims.back() = 2;
  Tensor y(DType::f64, dims);
  double* const out = y.mutable_data<double>().data();
  for (std::int64_t row = 0; row < view.outer * view.inner; ++row) {
    const std::int64_t outer = row / view.inner, inner = row % view.inner;
    detail::Spectrum signal(detail::to_size(length));
    for (std::int64_t i = 0; i < std::min(length, view.extent); ++i)
      signal[detail::to_size(i)] = signals.at((outer * view.extent + i) * view.inner + inner);
    signal = detail::fourier(signal, ctx.attr<std::int64_t>("inverse") != 0);
    for (std::int64_t k = 0; k < dims[axis]; ++k) {
      double* const to = out + ((outer * dims[axis] + k) * view.inner + inner) * 2;
      to[0] = signal[detail::to_size(k)].real();
      to[1] = signal[detail::to_size(k)].imag();
    }
  }
  ctx.set_output(0, detail::cast(std::move(y), x.dtype()));
}

/// Splits signals [batch, length, 1 or 2] into frames, one step apart and multiplied by a window, and returns [batch,
/// frames, bins, 2]. Also accepts [batch, length], which exporters write and runtimes accept.
inline void stft(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const detail::Signals signals = x.rank() == 2 ? detail::Signals(x, 1) : detail::Signals(x);
  const auto step = ctx.input(1).item<std::int64_t>();
  std::vector<double> window = ctx.has_input(2) ? ctx.input(2).to<double>() : std::vector<double>();
  if (x.rank() > 3 || step < 1) throw detail::failure({"a step of ", step, " in ", x});
  const std::int64_t samples = x.dims()[1];
  const std::int64_t length = ctx.has_input(3)  ? ctx.input(3).item<std::int64_t>()
                              : !window.empty() ? detail::to_int(window.size())
                                                : samples;
  if (length < 1 || length > samples) throw detail::failure({"frames of ", length, " in ", x});
  if (window.empty()) window.assign(detail::to_size(length), 1.0);
  if (detail::to_int(window.size()) != length)
    throw detail::failure({"a window of ", window.size(), " for frames of ", length});
  const Dims dims{x.dims()[0], (samples - length) / step + 1,
                  detail::bins(length, ctx.attr<std::int64_t>("onesided") != 0), 2};
  Tensor y(DType::f64, dims);
  double* to = y.mutable_data<double>().data();
  for (std::int64_t frame = 0; frame < dims[0] * dims[1]; ++frame) {
    detail::Spectrum signal;
    const std::int64_t first = frame / dims[1] * samples + frame % dims[1] * step;
    for (std::int64_t i = 0; i < length; ++i) signal.push_back(signals.at(first + i) * window[detail::to_size(i)]);
    signal = detail::fourier(signal, false);
    for (std::int64_t k = 0; k < dims[2]; ++k) {
      *to++ = signal[detail::to_size(k)].real();
      *to++ = signal[detail::to_size(k)].imag();
    }
  }
  ctx.set_output(0, detail::cast(std::move(y), x.dtype()));
}

inline void add_dft(Kernels& kernels) { kernels.add("DFT", dft).add("STFT", stft); }

}  // namespace graft::inline v1::standard_kernels
