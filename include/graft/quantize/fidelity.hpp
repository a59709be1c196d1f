#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/signal_to_noise.hpp>

namespace graft::inline v1 {

/// How near the outputs of a graph come to those of another on the same samples; of several outputs the worst figure.
/// Outputs of integers and truth values, as ArgMax gives them, are decisions: each that is equal agrees, and
/// there is no signal to have noise or an angle. Strings are not looked at.
struct Fidelity {
  double decibels = std::numeric_limits<double>::infinity();  ///< the signal-to-noise ratio over all samples
  double cosine = 1;  ///< of the angle between the outputs, each one vector for a sample: the mean over the samples
  double top1 = 1;    ///< the share of decisions that agree: integers, or where along the classes the maximum is

  friend bool operator==(const Fidelity&, const Fidelity&) = default;
};

/// "top-1 agreement 0.9750, cosine 0.9981, 18.2 dB"; with more digits where it would say 1 of what is less.
inline std::string to_string(const Fidelity& fidelity) {
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
inline std::ostream& operator<<(std::ostream& out, const Fidelity& fidelity) { return out << to_string(fidelity); }

/// What Fidelity has to reach.
struct FidelityGoal {
  double top1 = 0, cosine = -1, decibels = -std::numeric_limits<double>::infinity();

  bool is_met_by(const Fidelity& reached) const {
    return reached.top1 >= top1 && reached.cosine >= cosine && reached.decibels >= decibels;
  }
};

namespace detail {

/// Where the classes of an output lie: along axis 1 of [N, C], [N, C, H, W] and what has more axes, else along the
/// last one.
inline std::size_t class_axis(std::size_t rank) {
  if (rank == 0) return 0;
  return rank == 2 || rank > 3 ? 1 : rank - 1;
}

/// One output of both graphs.
class OutputFidelity {
 public:
  /// Other dims, as values give them to some operators, are other in every value. Throws Error if the dtypes differ.
  void add(const Tensor& floats, const Tensor& quantized) {
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
  Fidelity fidelity() const {
    Fidelity result;
    result.decibels = power_.decibels();
    if (samples_ != 0) result.cosine = cosines_ / static_cast<double>(samples_);
    if (decisions_ != 0) result.top1 = static_cast<double>(agreeing_) / static_cast<double>(decisions_);
    return result;
  }

 private:
  /// 1 for two vectors of zeros, 0 if one is, or if one is not finite.
  static double cosine(std::span<const float> x, std::span<const float> q) {
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

  void count_other(const Tensor& floats) {
    ++decisions_;
    if (!is_float(floats.dtype())) return;
    const std::vector<float> x = floats.to<float>();
    power_.add(x, std::vector<float>(x.size()));
    ++samples_;
  }

  void count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q) {
    for (std::size_t i = 0; i < x.size(); ++i) agreeing_ += x[i] == q[i];
    decisions_ += x.size();
  }

  void count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims) {
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

  SignalToNoise power_;
  double cosines_ = 0;
  std::size_t samples_ = 0, decisions_ = 0, agreeing_ = 0;
};

}  // namespace detail

/// Measures fidelity, sample by sample.
class FidelityMeter {
 public:
  /// The outputs of one sample, as both graphs give them in the same order. Throws Error if they are not as many, or
  /// not of the same dtypes.
  void add(std::span<const Tensor> floats, std::span<const Tensor> quantized) {
    if (floats.size() != quantized.size()) throw Error("the graphs have different outputs");
    outputs_.resize(std::max(outputs_.size(), floats.size()));
    for (std::size_t i = 0; i < floats.size(); ++i) outputs_[i].add(floats[i], quantized[i]);
  }
  Fidelity fidelity() const {
    Fidelity worst;
    for (const detail::OutputFidelity& output : outputs_) {
      const Fidelity one = output.fidelity();
      worst.decibels = std::min(worst.decibels, one.decibels);
      worst.cosine = std::min(worst.cosine, one.cosine);
      worst.top1 = std::min(worst.top1, one.top1);
    }
    return worst;
  }

 private:
  std::vector<detail::OutputFidelity> outputs_;
};

}  // namespace graft::inline v1
