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

/// How near the outputs of a graph come to those of another on the same samples; of several outputs the worst figure.
/// An output is a list of vectors, its rows: along the last axis up to rank 3, as of [batch, classes] or
/// [batch, steps, features]; of higher ranks each sample is one. Strings are not compared. Where quantize(), analyze()
/// and searches of layers judge copies, NonMaxSuppression, TopK and the like select in these what they select in float,
/// as a score that differs a little gives other rows; the floats in front of the selection are compared, too.
///
/// NaN or an infinity that both have at one place is equal. NaN in place of a number is lost: the row has a cosine of
/// 0, its decision is another one, and there are minus infinity decibels.
///
/// The agreement is the share of decisions that are the same in both, 1 where there is none. Of integers and truth
/// values, as ArgMax gives them, each element is a decision; they have neither noise nor an angle. What an output of
/// floats decides is its Decision.
struct Fidelity {
  double decibels = std::numeric_limits<double>::infinity();  ///< the signal-to-noise ratio over all samples
  double cosine = 1;                                          ///< of the angle between rows: their mean
  double agreement = 1;                                       ///< the share of decisions that are the same
  double least_cosine = 1;                                    ///< of one sample: the mean over its rows

  /// Whether the outputs are so near, at a cosine from 0.999 on, that it hardly pays to look for better.
  bool is_near() const { return cosine >= 0.999; }
  /// Below such a cosine outputs are so far apart that they are rarely of use; below the other those of one sample.
  static constexpr double poor_cosine = 0.98, poor_sample = 0.95;

  /// Whether the outputs are that far apart.
  bool is_poor() const { return cosine < poor_cosine; }
  /// Whether they are, or those of one sample.
  bool is_poor_somewhere() const { return is_poor() || least_cosine < poor_sample; }

  friend bool operator==(const Fidelity&, const Fidelity&) = default;
};

/// "agreement 0.9750, cosine 0.9981, 18.2 dB"; with more digits where it would say 1 of what is less.
std::string to_string(const Fidelity& fidelity);
inline std::ostream& operator<<(std::ostream& out, const Fidelity& fidelity) { return out << to_string(fidelity); }

/// What Fidelity has to reach.
struct FidelityGoal {
  double agreement = 0, cosine = -1, decibels = -std::numeric_limits<double>::infinity();

  bool is_met_by(const Fidelity& reached) const {
    return reached.agreement >= agreement && reached.cosine >= cosine && reached.decibels >= decibels;
  }
};

/// What an output of floats decides.
enum class Decision {
  greatest,  ///< which class is greatest, along axis 1 of [N, C] and [N, C, H, W], and the last of [N, S, C]
  nearest,   ///< of embeddings: which other row is nearest, by the cosine; of fewer than three as `greatest`
  none,      ///< nothing: boxes and scores in front of a selection, say
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
  explicit OutputFidelity(Decision decision) : decision_(decision) {}

  /// Other dims, as values give them to some operators, are other in every value. Throws Error if the dtypes differ.
  /// Returns the cosine of this sample, 1 if it has no rows.
  double add(const Tensor& floats, const Tensor& quantized);
  Fidelity fidelity() const;

  /// How many rows such an output has.
  static std::size_t rows(const Tensor& floats);
  /// The greatest cosine that there can still be, where there will be so many rows.
  double greatest_cosine(std::size_t rows) const;

 private:
  /// 1 for two vectors of zeros, 0 if one is, or if one has NaN or infinity where the other has none.
  static double cosine(std::span<const float> x, std::span<const float> q);

  void add_rows(const Tensor& floats, const Tensor& quantized);

  void count_other(const Tensor& floats);

  void count_equal(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& q);

  void count_agreeing(std::span<const float> x, std::span<const float> q, const Dims& dims);
  /// Of two each is the neighbour of the other.
  bool has_neighbours() const { return width_ != 0 && embeddings_.size() >= 3 * width_; }
  /// The share of embeddings that have the same neighbour in both; those that hold NaN in one have not.
  double agreement_of_neighbours() const;

  Decision decision_;
  SignalToNoise power_;
  double cosines_ = 0;
  std::size_t rows_ = 0, decisions_ = 0, agreeing_ = 0;
  std::size_t width_ = 0;                      // of an embedding
  std::vector<float> embeddings_, quantized_;  // row by row, of length 1
};

}  // namespace detail

/// What each output of a float model decides, of all but those of strings. [batch, features] of floats are taken for
/// embeddings, with at least 64 features, of a model whose inputs are all integers, as tokens are. What Softmax,
/// LogSoftmax, Gemm, MatMul or the Add of a bias makes is taken for classes.
std::vector<Decision> output_decisions(const Graph& graph);

namespace detail {

/// What the outputs at these places decide.
std::vector<Decision> decisions_at(const Graph& graph, const std::vector<std::size_t>& places);

}  // namespace detail

/// Measures fidelity, sample by sample.
class FidelityMeter {
 public:
  /// decisions: one for each output; `greatest` if omitted.
  explicit FidelityMeter(std::vector<Decision> decisions = {}) : decisions_(std::move(decisions)) {}

  /// The outputs of one sample, as both graphs give them in the same order. Throws Error if they are not as many, or
  /// not of the same dtypes. Returns the least cosine of an output of this sample.
  double add(std::span<const Tensor> floats, std::span<const Tensor> quantized);
  Fidelity fidelity() const;

  /// How many rows each output of a sample has; the outputs of further samples are added to these.
  static void count_rows(std::span<const Tensor> floats, std::vector<std::size_t>& rows);
  /// The greatest cosine that fidelity() can still reach, where each output will have so many rows.
  double greatest_cosine(std::span<const std::size_t> rows) const;

 private:
  std::vector<Decision> decisions_;
  std::vector<detail::OutputFidelity> outputs_;
  double least_cosine_ = 1;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/fidelity.ipp>
#endif
