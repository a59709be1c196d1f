#pragma once
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/audit/expected_time.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/tune/nearest_ranges.hpp>
#include <graft/quantize/tune/refine_ranges.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// One way to quantize, as it was tried on samples that its ranges were found without.
struct QuantizeTrial {
  std::string name;  ///< "percentile 99.97, equalized"
  Fidelity fidelity;
  /// On the first samples it fell too far behind another way to catch up on the others; the fidelity is that on these.
  bool ended_early = false;
  /// It came nearer to float than the way that was taken, but by no more than the noise, which is the standard error of
  /// the difference over the samples; the one that was taken is simpler.
  bool within_noise = false;
};

/// "min-max: agreement 0.9750, cosine 0.9981, 18.2 dB"
std::string to_string(const QuantizeTrial& trial);
inline std::ostream& operator<<(std::ostream& out, const QuantizeTrial& trial) { return out << to_string(trial); }

/// What quantize() left in float by itself, as the best way was poor.
struct PoorLayers {
  GoalResult found;           ///< of the goal that outputs are not poor
  double speedup_before = 1;  ///< by the target's costs, with none in float
};

/// "2 in float of 30 layers, 12 of 14 pairs left"
std::string to_string(const PoorLayers& poor);

/// How near the outputs of a model come to those of the float model, and on which samples.
struct MeasuredFidelity {
  Fidelity fidelity;
  std::size_t samples = 0;
  bool are_unseen = false;  ///< nothing was learned from these samples
};

/// What quantize() did.
struct QuantizeResult {
  Report passes;
  Audit audit;                  ///< of static quantization, beside which products may be dynamic or weight-only
  ExpectedTime expected_time;   ///< by the target's costs; not in a mode that needs no ranges
  /// What became of the operators: one outcome for each that is audited, that placement left in float, or that is a
  /// product by a constant, which has its name in the prepared model. In the order of the audit, then those that it
  /// lacks.
  std::vector<OperatorOutcome> outcomes{};
  Ranges ranges;                ///< of the tensors of the prepared model, before weights were rescaled
  std::optional<RangeChoice> observer{};  ///< that found them, if it made them of histograms
  std::size_t pairs = 0;        ///< QuantizeLinear nodes
  std::size_t tables = 0;       ///< tables that quantize_embeddings() made integers of
  std::size_t products = 0;     ///< in integers of dynamic quantization, or with weights in blocks
  std::vector<QuantizeTrial> trials{};  ///< the one that was taken comes first
  std::size_t calibration_samples = 0, held_out_samples = 0;
  std::optional<Analysis> analysis{};   ///< if options.analyze
  std::optional<GoalResult> goal{};     ///< if options.goal
  std::optional<PoorLayers> poor_layers{};  ///< if the best way was poor, and options.search_runs let it look for them
  std::optional<RefinedRanges> refined{};   ///< if ranges were refined
  std::optional<Fidelity> checked{};    ///< of the model as it is returned, on the samples of the last check
  /// Of the model as it is returned: of the way that was taken, or with the layers in float and the ranges that were
  /// found after it; where nothing of that was measured, of the last check. Nothing without samples.
  std::optional<MeasuredFidelity> accuracy{};

  /// That of `accuracy`.
  std::optional<Fidelity> fidelity() const { return accuracy ? std::optional(accuracy->fidelity) : std::nullopt; }
  /// The fidelity, or that of the last check, where outputs are rarely of use on the samples, or on one of them:
  /// Fidelity::is_poor_somewhere(). Nothing if they are not.
  std::optional<Fidelity> poor_fidelity() const {
    if (fidelity() && fidelity()->is_poor_somewhere()) return fidelity();
    return checked && checked->is_poor_somewhere() ? checked : std::nullopt;
  }
  bool is_poor() const { return poor_fidelity().has_value(); }
};

/// Quantizes a float model to 8 bits for a runtime: raises the opset, simplifies, calibrates on the samples, puts
/// QuantizeLinear and DequantizeLinear where the target computes in integers, quantizes the weights, and audits the
/// result. Each step is a public pass; this is the pipeline that we would choose.
///
/// By default several ways to find ranges are tried, each quantizing copies, in four folds: the samples of a fold judge
/// ranges of the other three. The way whose outputs are nearest to those of the float model is taken, or a simpler one
/// that is as near within the noise; then products are tried dynamic and weight-only. If the way is poor,
/// Fidelity::is_poor(), the few layers that lose most stay in float; if it is neither poor nor near, ranges are refined
/// by what they do to the outputs. With less than 4 samples, or of a range that is
/// not indexed, ways are tried on samples of the calibration, and held_out_samples is 0. With options.observer a
/// quarter of the samples is held out. QuantizeOptions::fast() tries nothing.
///
/// In another options.mode there are no ranges, pairs and audit: the model is prepared, and the pass of the mode makes
/// integers of its products. Samples measure how near it comes to float; without any nothing is measured.
///
/// Before it returns, up to 8 samples run through the model, or random inputs where there are none. It throws Error
/// naming the first node whose output is wrong, if an output of the model holds NaN or infinity where the float model
/// has numbers, or has a cosine below 0.5 with that of the float model. Random inputs may lie outside known ranges: a
/// low cosine is a warning then. So is an operator without a kernel, with which the model cannot be run.
///
/// Runs context.threads samples at a time. Samples are gone through several times: they are a vector, or another range
/// that begins again; with fast() one that can be gone through only once will do. The context loses ranges and
/// statistics that it has, which may be of another model, and gets the facts that the passes provide, the final Ranges
/// among them. Where nothing is quantized the model is the prepared one.
/// Throws Error if there is no sample, and as the passes do; the model is unspecified then, but sound.
QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                        const QuantizeOptions& options, Context& context);
QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                        const QuantizeOptions& options = {});
/// The same without samples: static quantization takes options.ranges, and throws Error if there are none.
QuantizeResult quantize(Model& model, const Target& target, const QuantizeOptions& options, Context& context);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/quantize.ipp>
#endif
