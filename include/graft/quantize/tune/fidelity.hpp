#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/dims.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>

namespace graft::inline v1 {

/// How near the outputs of a graph are to those of another on the same samples. With several outputs, the worst
/// figures.
///
/// An output is a list of vectors, its rows: along the last axis up to rank 3, as in [batch, classes] or [batch, steps,
/// features]; with a higher rank, each sample is one row. Strings are not compared. A small difference of a score can
/// make NonMaxSuppression, TopK and the like select other rows. So quantize(), analyze() and searches of layers feed
/// copies with the rows that the float graph selects. The floats in front of the selection are compared too.
///
/// NaN, or the same infinity, at the same place in both is equal. If only one has NaN, the row has a cosine of 0, its
/// decision differs, and the ratio is minus infinity decibels.
///
/// The agreement is the share of equal decisions, and 1 if there are none. In integers and booleans, such as those of
/// ArgMax, each element is a decision; they have neither noise nor an angle. The Decision of a float output says what
/// it decides.
struct Fidelity {
  double decibels = std::numeric_limits<double>::infinity();  ///< the signal-to-noise ratio over all samples
  double cosine = 1;                                          ///< the mean cosine of the angle between rows
  double agreement = 1;                                       ///< the share of equal decisions
  double least_cosine = 1;                                    ///< the least mean cosine of a sample's rows

  /// Whether the cosine is at least 0.999, so that a search for better outputs hardly pays.
  bool is_near() const { return cosine >= 0.999; }
  /// Outputs with a mean cosine below poor_cosine are rarely useful; so are those of a sample below poor_sample.
  static constexpr double poor_cosine = 0.98, poor_sample = 0.95;

  /// Whether the mean cosine is below its limit.
  bool is_poor() const { return cosine < poor_cosine; }
  /// Whether the mean cosine or that of one sample is below its limit.
  bool is_poor_somewhere() const { return is_poor() || least_cosine < poor_sample; }

  friend bool operator==(const Fidelity&, const Fidelity&) = default;
};

/// "agreement 0.9750, cosine 0.9981, 18.2 dB"; with more digits if rounding would give 1 for less than 1.
std::string to_string(const Fidelity& fidelity);
inline std::ostream& operator<<(std::ostream& out, const Fidelity& fidelity) { return out << to_string(fidelity); }

/// The values that Fidelity must reach.
struct FidelityGoal {
  double agreement = 0, cosine = -1, decibels = -std::numeric_limits<double>::infinity();

  bool is_met_by(const Fidelity& reached) const {
    return reached.agreement >= agreement && reached.cosine >= cosine && reached.decibels >= decibels;
  }
};

/// The decision of a float output.
enum class Decision {
  greatest,  ///< the greatest class, along axis 1 of [N, C] and [N, C, H, W], and the last of [N, S, C]
  nearest,   ///< for embeddings: the nearest other row, by the cosine; for fewer than three rows as `greatest`
  none,      ///< no decision, for example for boxes and scores in front of a selection
};

namespace detail {

/// The axis of an output's classes: axis 1 of [N, C], [N, C, H, W] and tensors of higher rank, else the last one.
inline std::size_t class_axis(std::size_t rank) {
  if (rank == 0) return 0;
  return rank == 2 || rank > 3 ? 1 : rank - 1;
}

/// One output of both graphs.
class OutputFidelity {
 public:
  explicit OutputFidelity(Decision decision) : decision_(decision) {}

  /// If the dims differ, because they depend on values, every value counts as different. Throws Error if the dtypes
  /// differ. Returns the cosine of this sample, 1 if it has no rows.
  double add(const Tensor& floats, const Tensor& quantized);
  Fidelity fidelity() const;

  /// The number of rows of such an output.
  static std::size_t rows(const Tensor& floats);
  /// The greatest cosine that is still possible with this many rows in total.
  double greatest_cosine(std::size_t rows) const;

 private:
  /// 1 for two vectors of zeros, 0 if only one is zero, or if only one has NaN or infinity at some place.
  static double cosine(std::span<const float> x, std::span<const float> q);

  void add_rows(const Tensor& floats, const Tensor& quantized);

  void count_other(const Tensor& floats);

  void count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q);

  void count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims);
  /// Of two rows, each is the neighbour of the other.
  bool has_neighbours() const { return width_ != 0 && embeddings_.size() >= 3 * width_; }
  /// The share of embeddings with the same neighbour in both. Those that hold NaN in one of the two do not count as the
  /// same.
  double agreement_of_neighbours() const;

  Decision decision_;
  SignalToNoise power_;
  double cosines_ = 0;
  std::size_t rows_ = 0, decisions_ = 0, agreeing_ = 0;
  std::size_t width_ = 0;                      // number of features of an embedding
  std::vector<float> embeddings_, quantized_;  // row by row, of length 1
};

}  // namespace detail

/// The decision of each output of a float model, without those of strings. A float output [batch, features] with at
/// least 64 features counts as embeddings if all inputs of the model are integers, such as tokens. The outputs of
/// Softmax, LogSoftmax, Gemm, MatMul and the Add of a bias count as classes.
std::vector<Decision> output_decisions(const Graph& graph);

namespace detail {

/// The decisions of the outputs at these indices.
std::vector<Decision> decisions_at(const Graph& graph, const std::vector<std::size_t>& places);

}  // namespace detail

/// Measures fidelity, sample by sample.
class FidelityMeter {
 public:
  /// decisions: one for each output; `greatest` if omitted.
  explicit FidelityMeter(std::vector<Decision> decisions = {}) : decisions_(std::move(decisions)) {}

  /// Adds the outputs of one sample, in the same order for both graphs. Throws Error if their numbers or dtypes differ.
  /// Returns the least cosine of an output of this sample.
  double add(std::span<const Tensor> floats, std::span<const Tensor> quantized);
  Fidelity fidelity() const;

  /// Adds the numbers of rows of a sample's outputs to these.
  static void count_rows(std::span<const Tensor> floats, std::vector<std::size_t>& rows);
  /// The greatest cosine that fidelity() can still reach if each output will have this many rows.
  double greatest_cosine(std::span<const std::size_t> rows) const;

 private:
  std::vector<Decision> decisions_;
  std::vector<detail::OutputFidelity> outputs_;
  double least_cosine_ = 1;
};

}  // namespace graft::inline v1
