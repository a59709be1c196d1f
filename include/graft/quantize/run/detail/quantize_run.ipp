#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/unmatched_name.hpp>
#include <graft/quantize/kernel/integer_form.hpp>
#include <graft/quantize/run/detail/judge_result.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/standard_operators.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>
#include <graft/quantize/run/detail/unmatched_excludes.hpp>
#include <graft/quantize/run/detail/withdraw_observations.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE QuantizeRun::QuantizeRun(Model& model, std::optional<SampleSource> samples, const Target& target,
                                      const QuantizeOptions& options, Context& context)
    : model_(model),
      samples_(std::move(samples)),
      target_(target),
      options_(options),
      context_(context),
      forms_(options.weights),
      corrects_(options.correct_biases && samples_.has_value()),
      check_(options, context, result_.passes) {
  if (samples_) samples_ = check_.watching(*samples_);
  WeightForm common = forms_.common();
  if (tries() && common.granularity == Granularity::per_tensor) {
    common.clipping = Clipping::squared_error;
    forms_ = forms_.with_common(common);
  }
  const bool has_any_width = options.format == QuantizedFormat::qcdq || options.format == QuantizedFormat::qonnx;
  if (!options.bit_widths.empty() && !has_any_width)
    throw Error("a bit width other than 8 needs the format qcdq or qonnx")
        .field(options.bit_widths.front().tensors.text());
  if (options.ranges) return;
  choices_ = options.observers;
  if (options.compare && choices_.size() > 1) choices_.push_back(RangeChoice::of("min-max", MinMax()));
}

GRAFT_INLINE QuantizeResult QuantizeRun::run() {
  result_.passes.pass = "quantize";
  result_.passes.nodes_before = model_.graph().nodes().size();
  withdraw_observations(context_.facts);
  if (allows_forms()) context_.facts.provide(ProductForms());
  if (step(prepare_model(target_, options_))) {
    warn_of_names();
    if (options_.exclude_ends) step(keep_ends_in_float(target_));
    if (!options_.activation_overrides.empty()) step(override_activations(options_.activation_overrides));
    if (find_ranges()) finish();
    write_standard_operators(model_, context_, result_.passes);
  }
  if (context_.is_cancelled()) result_.passes.outcome = Outcome::cancelled;
  result_.passes.nodes_after = model_.graph().nodes().size();
  const FloatOutcomes in_float = context_.facts.value_or_default<FloatOutcomes>();
  const bool stays_pairs = options_.format == QuantizedFormat::qcdq;
  if (stays_pairs) write_format();  // the audit is of the pairs that are written
  if (!is_dynamic_) result_.audit = audit(model_.graph(), target_);
  result_.expected_time = typical_time(model_.graph(), result_.audit, target_, context_);
  if (is_dynamic_)
    collect_outcomes("quantize_dynamic", in_float, products_,
                     {OperatorForm::dynamic, "all are, which is nearest to float"}, result_);
  else
    collect_outcomes(context_.facts.value_or_default<ProductForms>(), in_float, products_, result_);
  result_.pairs = static_cast<std::size_t>(std::ranges::count_if(model_.graph().nodes(), is_quantize));
  if (!stays_pairs) write_format();
  result_.checked = check_.expect_sound(model_.graph());
  judge_outputs(result_, samples_, context_);
  if (const Report* const tables = result_.passes.step("quantize_embeddings")) result_.tables = tables->changes;
  if (!context_.is_cancelled() && count_integer_forms(model_.graph()).empty()) warn_of_nothing(result_, "", context_);
  return std::move(result_);
}

GRAFT_INLINE bool QuantizeRun::step(const Pass& pass) { return run_step(pass, model_, context_, result_.passes); }

/// What matches nothing may be a typing error, and calibration takes long.
GRAFT_INLINE void QuantizeRun::warn_of_names() {
  Context scratch;
  scratch.facts.provide(Ranges());
  std::vector<std::string> notes = unmatched_excludes(model_, options_, context_);
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  add(override_ranges(options_.range_overrides).run(model_, scratch).notes);
  add(override_activations(options_.activation_overrides).run(model_, scratch).notes);
  add(options_.weights.unmatched(model_.graph()));
  for (const qonnx::BitWidth& width : options_.bit_widths) {
    const auto is_meant = [&](const Value& value) { return width.tensors.matches(value.name()); };
    const auto makes_it = [&](const Node& node) { return std::ranges::any_of(node.outputs(), is_meant); };
    if (std::ranges::none_of(model_.graph().inputs(), [&](const Value* input) { return is_meant(*input); }) &&
        std::ranges::none_of(model_.graph().nodes(), makes_it))
      notes.push_back(no_tensor_called(width.tensors, model_.graph()));
  }
  for (std::string& note : notes) warn(std::move(note), context_, result_.passes);
}

GRAFT_INLINE bool QuantizeRun::tries() const {
  return !options_.ranges && (options_.compare || options_.observers.size() > 1);
}

}  // namespace graft::inline v1::detail
