#pragma once
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/audit/expected_time.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/run/quantize_options.hpp>
#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/analyze.hpp>
#include <graft/quantize/tune/choose_bit_widths.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/tune/reconstruct.hpp>
#include <graft/quantize/tune/refine_ranges.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// A candidate, as it was judged on samples that its ranges were found without.
struct QuantizeTrial {
  std::string name;  ///< "percentile 99.97, weights equalized"
  Fidelity fidelity;
  /// On the first samples it fell too far behind another candidate to catch up; the fidelity is that on these.
  bool ended_early = false;
  /// It came nearer to float than the candidate that was taken, but by no more than the noise, which is the standard
  /// error of the difference over the samples; the one that was taken is simpler.
  bool within_noise = false;
};

/// "min-max: agreement 0.9750, cosine 0.9981, 18.2 dB"
std::string to_string(const QuantizeTrial& trial);
inline std::ostream& operator<<(std::ostream& out, const QuantizeTrial& trial) { return out << to_string(trial); }

/// What quantize() left in float by itself, as the best candidate was poor.
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
  /// Of static quantization, beside which products may be dynamic or weight-only. Of operators that placement left in
  /// float it has placement's outcomes.
  Audit audit;
  ExpectedTime expected_time;  ///< by the target's costs; not in a mode that needs no ranges
  /// What became of the operators: one outcome for each that is audited, that vanishes into another's kernel, that
  /// placement left in float, or that is a product by a constant, which has its name in the prepared model. In that
  /// order.
  std::vector<OperatorOutcome> outcomes{};
  Ranges ranges;                              ///< of the tensors of the prepared model, before weights were rescaled
  std::optional<RangeMethod> range_method{};  ///< that found them, if they were not known
  std::size_t pairs = 0;                      ///< QuantizeLinear nodes
  std::size_t tables = 0;                     ///< tables that quantize_embeddings() made integers of
  std::size_t products = 0;                   ///< in integers of dynamic quantization, or with weights in blocks
  std::size_t caches = 0;                     ///< of attention, in integers, if QuantizeOptions::cache_bits
  std::vector<QuantizeTrial> trials{};        ///< the candidate that was taken comes first
  std::size_t calibration_samples = 0, held_out_samples = 0;
  std::vector<std::string> unreadable{};    ///< why samples were skipped that could not be read
  std::optional<Analysis> analysis{};       ///< if StaticOptions::analyze
  std::optional<GoalResult> goal{};         ///< if StaticOptions::goal
  std::optional<PoorLayers> poor_layers{};  ///< if the best candidate was poor, and search_runs allowed a search
  std::optional<RefinedRanges> refined{};   ///< if ranges were refined
  std::optional<ChosenBitWidths> bit_widths{};         ///< if StaticOptions::bit_budget
  std::optional<ReconstructedLayers> reconstructed{};  ///< if StaticOptions::reconstruct
  std::optional<Fidelity> checked{};        ///< of the model as it is returned, on the samples of the last check
  /// Of the model as it is returned: of the candidate that was taken, or with the layers in float and the ranges that
  /// were found after it; where nothing of that was measured, of the last check. Nothing without samples.
  std::optional<MeasuredFidelity> accuracy{};

  /// Why nothing is quantized: "the model has no ..."; empty if anything is.
  std::string nothing_quantized{};

  /// That of `accuracy`.
  std::optional<Fidelity> fidelity() const { return accuracy ? std::optional(accuracy->fidelity) : std::nullopt; }
  /// The fidelity, or that of the last check, where outputs are rarely of use on the samples, or on one of them:
  /// Fidelity::is_poor_somewhere(). Nothing if they are not.
  std::optional<Fidelity> poor_fidelity() const {
    if (fidelity() && fidelity()->is_poor_somewhere()) return fidelity();
    return checked && checked->is_poor_somewhere() ? checked : std::nullopt;
  }
  bool is_poor() const { return poor_fidelity().has_value(); }

  /// Runs a pass on the model and adds its report to `passes`, or those of its steps. Returns false if cancelled.
  bool run(const Pass& pass, Model& model, Context& context);
  /// Audits the graph again, and its expected time, after a pass that changed the pairs. Operators that were kept in
  /// float, and those of another form, keep their outcomes unless the audit finds an error.
  void audit_again(Graph& graph, const Target& target, const Context& context);
};

/// Quantizes a float model to 8 bits for a runtime. It prepares the model, observes it on the samples, lists
/// candidates, judges them on samples that they were made without, applies the best, and checks the outputs. Each step
/// is a public pass; this is the pipeline that we would choose.
///
/// StaticOptions: a candidate quantizes copies of the model, in four folds: the samples of a fold judge ranges of the
/// other three. The candidate whose outputs are nearest to those of the float model is taken, or a simpler one that is
/// as near within the noise; then products are tried dynamic and weight-only. If it is poor, Fidelity::is_poor(), the
/// few layers that lose most stay in float; if it is neither poor nor near, ranges are refined by their effect on the
/// outputs. With less than 4 samples, or of a range that is not indexed, the samples of the calibration judge, and
/// held_out_samples is 0. With a method that reads no histograms a quarter of the samples is held out. With one method
/// and options.compare off nothing is tried.
///
/// DynamicOptions, BlockwiseOptions: there are no ranges, pairs and audit. The pass of the mode makes integers of
/// products. Samples measure how near it comes to float; without any nothing is measured.
///
/// Before it returns, up to 8 samples run through the model, or random inputs where there are none: check_outputs(). A
/// model that is wrong is an Error.
///
/// QuantizeOptions::cache_bits: caches come last, so that the accuracy is that of float caches. If none can be in
/// integers, it is an Error before a sample is read; if no sample fills one, a warning.
///
/// Runs context.threads samples at a time. Samples are gone through several times: they are a vector, or another range
/// that begins again; where nothing is tried a range that can be gone through only once will do. The context loses
/// ranges and statistics that it has, which may be of another model, and gets the facts that the passes provide, the
/// final Ranges among them.
///
/// If nothing in the quantized model is in integers, the model is what it was, except that it is in inference mode,
/// tables may be integers and inputs frozen. It is what it was if the call is cancelled or throws, too. References into
/// its graph are invalid then. This needs a copy of the model. A view is built again from its proto instead, if it has
/// no edits when it is given; if it has, it is left prepared.
///
/// Throws Error if there is no sample, if options need samples and there are none, and as the passes do.
QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target, const QuantizeOptions& options,
                        Context& context);
QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                        const QuantizeOptions& options = {});
/// The same without samples: StaticOptions need known ranges; throws Error if there are none.
QuantizeResult quantize(Model& model, const Target& target, const QuantizeOptions& options, Context& context);

}  // namespace graft::inline v1
