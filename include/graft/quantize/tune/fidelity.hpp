#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>

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
std::string to_string(const Fidelity& fidelity);
inline std::ostream& operator<<(std::ostream& out, const Fidelity& fidelity) { return out << to_string(fidelity); }

/// What Fidelity has to reach.
struct FidelityGoal {
  double top1 = 0, cosine = -1, decibels = -std::numeric_limits<double>::infinity();

  bool is_met_by(const Fidelity& reached) const {
    return reached.top1 >= top1 && reached.cosine >= cosine && reached.decibels >= decibels;
  }
};

namespace detail {

/// One output of both graphs.
class OutputFidelity {
 public:
  /// Other dims, as values give them to some operators, are other in every value. Throws Error if the dtypes differ.
  void add(const Tensor& floats, const Tensor& quantized);
  Fidelity fidelity() const;

 private:
  /// 1 for two vectors of zeros, 0 if one is, or if one is not finite.
  static double cosine(std::span<const float> x, std::span<const float> q);

  void count_other(const Tensor& floats);

  void count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q);

  void count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims);

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
  void add(std::span<const Tensor> floats, std::span<const Tensor> quantized);
  Fidelity fidelity() const;

 private:
  std::vector<detail::OutputFidelity> outputs_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/fidelity.ipp>
#endif
