#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include <graft/config.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/qonnx/convert/set_bit_widths.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/prepare/equalization.hpp>
#include <graft/quantize/prepare/join_added_convs.hpp>
#include <graft/quantize/prepare/smoothing.hpp>
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_folds.hpp>
#include <graft/quantize/run/detail/trial_copy.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/tune/refine_ranges.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/surgery/shapes.hpp>

// The passes that quantize.

namespace graft::inline v1::detail {

GRAFT_INLINE Pass QuantizeRun::rescaling() const {
  Pass passes = options_.equalize ? equalize_weights() : smooth_activations(forms_, target_);
  if (options_.equalize && options_.smooth) passes |= smooth_activations(forms_, target_);
  return passes;
}

GRAFT_INLINE Pass QuantizeRun::joining(const WeightForms& forms, const Pass& next) const {
  return rewrites_model(options_.placement) ? join_added_convs(forms, target_) | next : next;
}

GRAFT_INLINE Pass QuantizeRun::quantizing(bool corrects, const WeightForms& forms) const {
  Pass passes = inject_qdq(target_, options_.placement);
  if (corrects) passes |= graft::correct_biases(forms, target_);
  if (allows_forms()) {
    passes |= quantize_dynamic(target_, {.weights = forms, .tables = {}}) |
              quantize_weights_blockwise(target_, {.tables = {}});
  }
  if (options_.commute) passes |= commute_dq_past_activation(target_);
  return passes | quantize_weights(forms, target_) | quantize_embeddings(forms.for_tables(), target_);
}

GRAFT_INLINE Pass QuantizeRun::dynamically_quantizing() const {
  DynamicOptions dynamic;
  dynamic.weights = options_.weights;
  return quantize_dynamic(target_, dynamic);
}

GRAFT_INLINE void QuantizeRun::finish() {
  products_ = products_by_constants(model_.graph());
  check_.remember(model_);
  if (is_dynamic_) {
    if (step(dynamically_quantizing())) step(infer_shapes());  // for the runtime's fusions
    if (options_.analyze)
      warn("dynamic quantization was chosen, which has no pairs to analyze", context_, result_.passes);
    return;
  }
  if (rewrites_model(options_.placement) && !step(join_added_convs(forms_, target_))) return;
  if (!refine()) return;
  trials_.reset();
  const Pass passes = quantizing(corrects_, forms_);
  const KeptInFloat kept = context_.facts.value_or_default<KeptInFloat>();
  if (samples_ && !keep_in_float(passes)) return;
  if (options_.analyze && samples_) {
    if (!step(graft::analyze(passes, *samples_, options_.layer_trials, trial_executor(options_, context_)))) return;
    if (const auto* const analysis = context_.facts.find<Analysis>()) result_.analysis = *analysis;
  }
  if (step(passes) && context_.facts.value_or_default<ProductForms>().size() != 0) step(infer_shapes());
  if (result_.poor_layers) context_.facts.provide(kept);  // nobody asked for them, and another model may have the names
}

GRAFT_INLINE bool QuantizeRun::refine() {
  if (!samples_ || !options_.compare || options_.ranges || result_.trials.empty()) return true;
  const Fidelity reached = result_.trials.front().fidelity;
  if (reached.is_near() || reached.is_poor()) return true;
  constexpr std::size_t max_samples = 24, least_samples = 12;  // fewer do not tell a gain from noise
  if (options_.search_runs < least_samples || samples_->size().value_or(0) < least_samples) return true;
  const std::size_t pairs =
      count_quantizers(TrialCopy(model_, context_, inject_qdq(target_, options_.placement)).model.graph());
  RangeRefinement refinement{.placement = options_.placement,
                             .samples = std::min(options_.search_runs / std::max<std::size_t>(pairs, 1), max_samples)};
  if (refinement.samples < least_samples) return true;
  const SampleSource samples = spread(*samples_, refinement.samples);
  for (const RangeOverride& given : options_.range_overrides) refinement.keep.push_back(given.tensors);
  const Ranges before = *context_.facts.find<Ranges>();
  if (!step(refine_ranges(samples, target_, refinement, trial_executor(options_, context_)))) return false;
  const RefinedRanges refined = *context_.facts.find<RefinedRanges>();
  if (!refined.changed.empty()) {
    // Weights stay in float while ranges are refined, and the trials have more samples.
    const Fidelity now = trials_->measure(model_, context_, quantizing(corrects_, forms_), target_).fidelity;
    if (context_.is_cancelled()) return false;
    if (now.cosine < reached.cosine) {
      context_.facts.provide(before);
      result_.passes.steps.back().notes.emplace_back("taken back: the quantized model is farther from float with them");
      return true;
    }
    result_.accuracy = {now, trials_->samples()};
  }
  result_.refined = refined;
  for (const std::string& name : result_.refined->changed) {
    const Range &was = before.at(name), &is = context_.facts.find<Ranges>()->at(name);
    const Range* const plain = result_.ranges.find(name);
    const float factor = was.max != 0 ? is.max / was.max : is.min / was.min;
    if (plain == nullptr) continue;
    if (*plain == was) result_.ranges.set(name, is);
    else result_.ranges.set(name, {plain->min * factor, plain->max * factor});  // weights are rescaled around it
  }
  return true;
}

GRAFT_INLINE void QuantizeRun::give_poor_as_reason() {
  constexpr std::string_view reason = "outputs are poor with it in integers";
  const GoalResult& found = result_.poor_layers->found;
  KeptInFloat& kept = *context_.facts.edit<KeptInFloat>();
  for (const std::string& name : found.in_float) kept.reasons.insert_or_assign(name, reason);
  if (ProductForms* const products = context_.facts.edit<ProductForms>()) {
    for (const std::string& name : found.dynamic) products->choose(name, ProductForm::dynamic, reason);
    for (const std::string& name : found.weight_only) products->choose(name, ProductForm::weight_only, reason);
  }
  std::vector<std::string>& notes = result_.passes.steps.back().notes;
  std::ranges::replace(notes, to_string(found), to_string(*result_.poor_layers));
}

GRAFT_INLINE bool QuantizeRun::keep_in_float(const Pass& passes) {
  const bool is_poor = !options_.goal && options_.search_runs != 0 && !result_.trials.empty() &&
                       result_.trials.front().fidelity.is_poor();
  if (!options_.goal && !is_poor) return true;
  LayerTrialOptions trials = is_poor ? LayerTrialOptions() : options_.layer_trials;
  if (trials.forms.empty() && allows_forms()) {
    if (!target_.dynamic_kernels.empty()) trials.forms.push_back(ProductForm::dynamic);
    if (block_cost(target_, ProductForms::usual_bits) != nullptr) trials.forms.push_back(ProductForm::weight_only);
  }
  SampleSource samples = *samples_;
  PoorLayers poor;
  if (is_poor) {
    TrialCopy copy(model_, context_, passes);
    Graph& graph = copy.model.graph();
    poor.speedup_before = typical_time(graph, audit(graph, target_), target_, copy.context).speedup();
    // One half of the work ranks the layers, the other finds how many it takes.
    const std::size_t layers = std::max<std::size_t>(count_quantizers(graph), 1);
    trials.samples = std::clamp<std::size_t>(options_.search_runs / 2 / layers, 1, trials.samples);
    samples = spread(samples, std::max<std::size_t>(options_.search_runs / 64, 4));
  }
  const FidelityGoal goal = options_.goal.value_or(FidelityGoal{.cosine = Fidelity::poor_cosine});
  if (!step(keep_fewest_in_float(goal, passes, samples, trials, trial_executor(options_, context_)))) return false;
  if (const auto* const found = context_.facts.find<GoalResult>()) {
    poor.found = *found;
    if (is_poor) result_.poor_layers = poor;
    else result_.goal = *found;
    if (is_poor) give_poor_as_reason();
    // A poor way that stays as it is has the figure that it had.
    if (found->outcome > (is_poor ? GoalOutcome::met_by_all : GoalOutcome::nothing_quantized))
      result_.accuracy = {found->reached, samples.size().value_or(result_.calibration_samples)};
  }
  return true;
}

GRAFT_INLINE void QuantizeRun::write_format() {
  if (options_.format == QuantizedFormat::qdq || context_.is_cancelled()) return;
  if (options_.format == QuantizedFormat::quantized_operators) {
    step(qonnx::qdq_to_quantized_operators());
    return;
  }
  // Integers of QuantizeLinear are to stay what they are, whatever the zero point is.
  const qonnx::ZeroPoints any = qonnx::ZeroPoints::any;
  Pass passes = qonnx::qdq_to_quant({.zero_points = any, .least_bits_of_constants = true});
  if (!options_.bit_widths.empty()) passes |= qonnx::set_bit_widths(options_.bit_widths);
  if (options_.format == QuantizedFormat::qcdq)
    passes |= qonnx::quant_to_qcdq({.clip_constants = true, .zero_points = any});
  step(passes);
}

}  // namespace graft::inline v1::detail
