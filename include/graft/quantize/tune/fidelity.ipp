#pragma once
#include <graft/quantize/tune/fidelity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Fidelity& fidelity) {
  const auto number = [](double value, int digits) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return std::string(text.data());
  };
  const auto share = [&](double value) {
    int digits = 4;
    while (value < 1 && digits < 16 && number(value, digits)[0] == '1') ++digits;
    return number(value, digits);
  };
  return "top-1 agreement " + share(fidelity.top1) + ", cosine " + share(fidelity.cosine) + ", " +
         number(fidelity.decibels, 1) + " dB";
}

namespace detail {

/// Where the classes of an output lie: along axis 1 of [N, C], [N, C, H, W] and what has more axes, else along the
/// last one.
inline std::size_t class_axis(std::size_t rank) {
  if (rank == 0) return 0;
  return rank == 2 || rank > 3 ? 1 : rank - 1;
}

GRAFT_INLINE void OutputFidelity::add(const Tensor& floats, const Tensor& quantized) {
  if (floats.dtype() != quantized.dtype())
    throw Error("is of " + std::string(to_string(quantized.dtype())) + ", in float of " +
                std::string(to_string(floats.dtype())));
  if (floats.dims() != quantized.dims()) return count_other(floats);
  if (!is_float(floats.dtype())) return count_equal(floats.to<std::int64_t>(), quantized.to<std::int64_t>());
  const std::vector<float> x = floats.to<float>(), q = quantized.to<float>();
  power_.add(x, q);
  cosines_ += cosine(x, q);
  ++samples_;
  count_agreeing(x, q, floats.dims());
}

GRAFT_INLINE Fidelity OutputFidelity::fidelity() const {
  Fidelity result;
  result.decibels = power_.decibels();
  if (samples_ != 0) result.cosine = cosines_ / static_cast<double>(samples_);
  if (decisions_ != 0) result.top1 = static_cast<double>(agreeing_) / static_cast<double>(decisions_);
  return result;
}

GRAFT_INLINE double OutputFidelity::cosine(std::span<const float> x, std::span<const float> q) {
  double xx = 0, qq = 0, xq = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = x[i], b = q[i];
    xx += a * a;
    qq += b * b;
    xq += a * b;
  }
  if (xx == 0 && qq == 0) return 1;
  const double lengths = std::sqrt(xx * qq);
  return lengths > 0 && std::isfinite(lengths) ? xq / lengths : 0;
}

GRAFT_INLINE void OutputFidelity::count_other(const Tensor& floats) {
  ++decisions_;
  if (!is_float(floats.dtype())) return;
  const std::vector<float> x = floats.to<float>();
  power_.add(x, std::vector<float>(x.size()));
  ++samples_;
}

GRAFT_INLINE void OutputFidelity::count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q) {
  for (std::size_t i = 0; i < x.size(); ++i) agreeing_ += x[i] == q[i];
  decisions_ += x.size();
}

GRAFT_INLINE void OutputFidelity::count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims) {
  const std::size_t axis = class_axis(dims.size());
  const std::size_t classes = dims.empty() ? 1 : static_cast<std::size_t>(dims[axis]);
  std::size_t inner = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  const auto greatest = [&](std::span<const float> values, std::size_t first) {
    std::size_t best = first;
    for (std::size_t k = 1; k < classes; ++k)
      if (values[first + k * inner] > values[best]) best = first + k * inner;
    return best;
  };
  const std::size_t decisions = classes == 0 ? 0 : x.size() / classes;
  for (std::size_t i = 0; i < decisions; ++i) {
    const std::size_t first = i / inner * inner * classes + i % inner;
    agreeing_ += greatest(x, first) == greatest(q, first);
  }
  decisions_ += decisions;
}

}  // namespace detail

GRAFT_INLINE void FidelityMeter::add(std::span<const Tensor> floats, std::span<const Tensor> quantized) {
  if (floats.size() != quantized.size()) throw Error("the graphs have different outputs");
  outputs_.resize(std::max(outputs_.size(), floats.size()));
  for (std::size_t i = 0; i < floats.size(); ++i) outputs_[i].add(floats[i], quantized[i]);
}

GRAFT_INLINE Fidelity FidelityMeter::fidelity() const {
  Fidelity worst;
  for (const detail::OutputFidelity& output : outputs_) {
    const Fidelity one = output.fidelity();
    worst.decibels = std::min(worst.decibels, one.decibels);
    worst.cosine = std::min(worst.cosine, one.cosine);
    worst.top1 = std::min(worst.top1, one.top1);
  }
  return worst;
}

}  // namespace graft::inline v1
