#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/qdq_to_quant.hpp>
#include <graft/qonnx/convert/qdq_to_quantized_operators.hpp>
#include <graft/qonnx/convert/quant_to_qdq.hpp>
#include <graft/qonnx/convert/set_bit_widths.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observe_channels.hpp>
#include <graft/quantize/calibrate/observe_features.hpp>
#include <graft/quantize/calibrate/observers/min_max.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/prepare/dead_channels.hpp>
#include <graft/quantize/prepare/equalization.hpp>
#include <graft/quantize/prepare/huge_weights.hpp>
#include <graft/quantize/prepare/join_added_convs.hpp>
#include <graft/quantize/prepare/smoothing.hpp>
#include <graft/quantize/run/detail/direct_run.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_split.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/quantize/run/detail/way_trials.hpp>
#include <graft/quantize/run/detail/withdraw_observations.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/quantize/weights/weights.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/surgery/infer_shapes.hpp>

namespace graft::inline v1::detail {

/// What is gathered, and the values that it is gathered of.
template <Statistic S>
struct Wanted {
  std::vector<const Value*> values{};
  Statistics<S> statistics{};

  /// Leaves out what the facts know already.
  Wanted(std::vector<const Value*> all, const Facts& facts) : values(std::move(all)) {
    if (const auto* const known = facts.find<Statistics<S>>())
      std::erase_if(values, [&](const Value* value) { return known->find(value->name()) != nullptr; });
  }
  /// Joins what was gathered of other values, on the same samples.
  void provide(Facts& facts) {
    if (const auto* const known = facts.find<Statistics<S>>())
      for (const auto& [name, statistic] : *known)
        if (statistics.find(name) == nullptr) statistics.of(name) = statistic;
    facts.provide(std::move(statistics));
  }
};

GRAFT_INLINE QuantizeRun::QuantizeRun(Model& model, std::optional<SampleSource> samples, const Target& target,
                                      const QuantizeOptions& options, Context& context)
    : model_(model), samples_(std::move(samples)), target_(target), options_(options), context_(context),
      forms_(options.weights), corrects_(options.correct_biases && samples_.has_value()) {
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
  if (step(prepare_model(target_, options_))) {
    warn_of_names();
    if (options_.exclude_ends) step(keep_ends_in_float(target_));
    if (!options_.activation_overrides.empty()) step(override_activations(options_.activation_overrides));
    if (find_ranges()) finish();
  }
  if (context_.is_cancelled()) result_.passes.outcome = Outcome::cancelled;
  result_.passes.nodes_after = model_.graph().nodes().size();
  if (const auto* const in_float = context_.facts.find<InFloat>()) result_.in_float = *in_float;
  if (!is_dynamic_) {
    result_.audit = audit(model_.graph(), target_);
    result_.expected_time = expected_time(model_.graph(), result_.audit, target_);
  }
  result_.pairs = static_cast<std::size_t>(std::ranges::count_if(model_.graph().nodes(), is_quantize));
  write_format();
  if (const Report* const tables = result_.passes.step("quantize_embeddings")) result_.tables = tables->changes;
  return std::move(result_);
}

GRAFT_INLINE bool QuantizeRun::step(const Pass& pass) { return run_step(pass, model_, context_, result_.passes); }

/// What matches nothing may be a typing error, and calibration takes long.
GRAFT_INLINE void QuantizeRun::warn_of_names() {
  Context scratch;
  scratch.facts.provide(KeptInFloat::of(context_.facts));
  scratch.facts.provide(Ranges());
  std::vector<std::string> notes = exclude_nodes(options_.exclude).run(model_, scratch).notes;
  const auto add = [&](const std::vector<std::string>& more) { notes.insert(notes.end(), more.begin(), more.end()); };
  add(override_ranges(options_.range_overrides).run(model_, scratch).notes);
  add(override_activations(options_.activation_overrides).run(model_, scratch).notes);
  add(options_.weights.unmatched(model_.graph()));
  for (const qonnx::BitWidth& width : options_.bit_widths) {
    const auto is_meant = [&](const Value& value) { return width.tensors.matches(value.name()); };
    const auto makes_it = [&](const Node& node) { return std::ranges::any_of(node.outputs(), is_meant); };
    if (std::ranges::none_of(model_.graph().inputs(), [&](const Value* input) { return is_meant(*input); }) &&
        std::ranges::none_of(model_.graph().nodes(), makes_it))
      notes.push_back("no activation is called '" + width.tensors.text() + "'");
  }
  for (std::string& note : notes) warn(std::move(note));
}

GRAFT_INLINE void QuantizeRun::warn(std::string warning) {
  context_.tell("warning: " + warning);
  result_.passes.warnings.push_back(std::move(warning));
}

GRAFT_INLINE void QuantizeRun::take_known_ranges() {
  const std::vector<const Value*> values = observable(model_.graph());
  const auto has_range = [&](const Value* value) { return options_.ranges->find(value->name()) != nullptr; };
  if (!values.empty() && std::ranges::none_of(values, has_range))
    throw Error("the ranges are of no tensor of this model").file(model_.file());
  context_.facts.provide(*options_.ranges);
}

GRAFT_INLINE bool QuantizeRun::tries() const {
  return !options_.ranges && (options_.compare || options_.observers.size() > 1);
}

GRAFT_INLINE void QuantizeRun::hold_out_samples() {
  SampleSplit split(*samples_, tries() ? options_.held_out_at_most : 0);
  calibration_ = std::move(split.calibration);
  held_out_ = std::move(split.held_out);
  result_.held_out_samples = split.held_out_samples;
}

GRAFT_INLINE bool QuantizeRun::observe(Model& model, Context& context) {
  const Graph& graph = model.graph();
  Wanted<ChannelMeans> means(options_.correct_biases ? channel_inputs(graph) : std::vector<const Value*>(),
                             context.facts);
  const bool wants_extremes = options_.equalize || options_.zero_dead_channels;
  Wanted<ChannelExtremes> extremes(wants_extremes ? channel_values(graph) : std::vector<const Value*>(),
                                   context.facts);
  const bool wants_moments = options_.correct_biases || (options_.smooth && !options_.ranges);
  Wanted<FeatureMoments> moments(wants_moments ? feature_inputs(graph) : std::vector<const Value*>(), context.facts);
  std::vector<StatisticsSink::Part> parts;
  if (!means.values.empty()) parts.emplace_back(means.values, StatisticsSink(means.statistics));
  if (!extremes.values.empty()) parts.emplace_back(extremes.values, StatisticsSink(extremes.statistics));
  if (!moments.values.empty()) parts.emplace_back(moments.values, StatisticsSink(moments.statistics));
  const auto run = [&](std::vector<const Value*> ranged, const StatisticsSink& ranges) {
    if (!ranged.empty()) parts.emplace_back(ranged, ranges);
    if (parts.empty()) return true;
    std::vector<const Value*> values;
    for (const auto& [some, sink] : parts) values.insert(values.end(), some.begin(), some.end());
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const auto start = std::chrono::steady_clock::now();
    Report report = run_samples(graph, values, *calibration_, options_.make_executor.value_or(ExecutorFactory()),
                                StatisticsSink(parts), context, "calibrate");
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.nodes_before = report.nodes_after = graph.nodes().size();
    result_.calibration_samples = static_cast<std::size_t>(parts.front().second.samples());
    const bool goes_on = report.outcome != Outcome::cancelled;
    report_unreadable(std::move(report));
    return goes_on;
  };
  if (options_.ranges) {
    Statistics<ChannelMeans> none;
    if (!run({}, StatisticsSink(none))) return false;
  } else if (!choices_.empty()) {
    Wanted<Histogram> histograms(observable(graph), context.facts);
    if (!run(histograms.values, StatisticsSink(histograms.statistics))) return false;
    histograms.provide(context.facts);
  } else {
    std::vector<const Value*> values = observable(graph);
    Ranges ranges;
    if (const Ranges* const known = context.facts.find<Ranges>()) ranges = *known;
    std::erase_if(values, [&](const Value* value) { return ranges.find(value->name()) != nullptr; });
    const auto found = options_.observer.ranges([&](const StatisticsSink& sink) { return run(values, sink); });
    if (!found) return false;
    ranges.merge(*found);
    context.facts.provide(std::move(ranges));
  }
  if (options_.correct_biases) means.provide(context.facts);
  if (wants_extremes) extremes.provide(context.facts);
  if (wants_moments) moments.provide(context.facts);
  return true;
}

GRAFT_INLINE void QuantizeRun::report_unreadable(Report report) {
  report.pass = "calibrate";
  const auto is_known = [](const Report& step) { return step.pass == "calibrate"; };
  if (std::ranges::any_of(result_.passes.steps, is_known)) report.notes.clear();  // the same samples again
  result_.passes.add(std::move(report));
}

/// Those that were held out.
GRAFT_INLINE void QuantizeRun::report_unreadable(const std::vector<std::string>& unreadable) {
  if (unreadable.empty()) return;
  Report report;
  report.pass = "compare";
  for (const std::string& why : unreadable) report.notes.push_back("could not be read: " + why);
  result_.passes.add(std::move(report));
}

GRAFT_INLINE void QuantizeRun::drop_dead_channels(const Ranges& ranges) {
  const auto* const all = context_.facts.find<Statistics<ChannelExtremes>>();
  const bool zeroes = options_.zero_dead_channels && all != nullptr;
  if (zeroes) step(graft::zero_dead_channels());
  const std::vector<const Value*> values = values_around_huge_weights(model_.graph(), ranges);
  if (values.empty()) return;
  if (!zeroes)
    return warn("some weights are huge, as in dead channels, and reduce the accuracy of the others; "
                "zero_dead_channels() finds these channels, on samples");
  const Statistics<ChannelExtremes> kept = *all;
  Statistics<ChannelExtremes> around;
  for (const Value* const value : values)
    if (const ChannelExtremes* const extremes = kept.find(value->name())) around.of(value->name()) = *extremes;
  context_.facts.provide(std::move(around));
  step(graft::zero_dead_channels({.values = 100}).named("zero_huge_dead_channels"));
  context_.facts.provide(kept);
}

GRAFT_INLINE Ranges QuantizeRun::ranges_of_choice(const Context& context, std::size_t choice) const {
  if (choices_.empty()) return *context.facts.find<Ranges>();
  return ranges_of(choices_[choice], *context.facts.find<Statistics<Histogram>>());
}

GRAFT_INLINE Ranges QuantizeRun::with_overrides(Ranges ranges) const {
  Context scratch;
  scratch.facts.provide(std::move(ranges));
  override_ranges(options_.range_overrides).run(model_, scratch);
  return *scratch.facts.find<Ranges>();
}

GRAFT_INLINE bool QuantizeRun::find_ranges() {
  if (options_.ranges) take_known_ranges();
  if (!samples_) {
    if (!options_.ranges) throw Error("there are neither samples nor ranges");
    result_.ranges = with_overrides(*options_.ranges);
    drop_dead_channels(*options_.ranges);
    return step(override_ranges(options_.range_overrides));
  }
  if (tries() && !samples_->begins_anew())
    throw Error("the samples can be gone through only once: hold them in a vector, or use QuantizeOptions::fast()");
  hold_out_samples();
  if (!observe(model_, context_) || context_.is_cancelled()) return false;
  drop_dead_channels(ranges_of_choice(context_, 0));

  const Base plain{&model_, &context_, {}};
  std::optional<Model> other;
  Context other_context = context_;
  std::optional<Base> rescaled;
  if ((options_.equalize || options_.smooth) && !options_.ranges) {
    other = model_.clone();
    const Report report = rescaling().run(*other, other_context);
    if (report.changes != 0) {
      if (!observe(*other, other_context)) return false;
      rescaled = Base{&*other, &other_context, {}};
      const auto changes = [&](std::string_view pass) {
        const Report* const part = report.pass == pass ? &report : report.step(pass);
        return part != nullptr && part->changes != 0;
      };
      if (changes("equalize_weights")) rescaled->rescaled += ", weights equalized";
      if (changes("smooth_activations")) rescaled->rescaled += ", activations smoothed";
    }
  }
  Way way{rescaled ? &*rescaled : &plain, 0, corrects_, forms_};
  if (tries()) way = best_way(plain, rescaled ? &*rescaled : nullptr);
  if (context_.is_cancelled()) return false;
  corrects_ = way.corrects;
  forms_ = way.forms;
  is_dynamic_ = way.is_dynamic;
  result_.ranges = with_overrides(ranges_of_choice(context_, way.choice));
  if (!choices_.empty()) result_.observer = choices_[way.choice];
  Ranges ranges = ranges_of_choice(*way.base->context, way.choice);
  if (way.base != &plain) {
    if (!step(rescaling())) return false;  // as the copy was: the model may be a view, which stays one
    context_.facts = std::move(other_context.facts);
  }
  context_.facts.provide(std::move(ranges));
  return step(override_ranges(options_.range_overrides));
}

GRAFT_INLINE QuantizeRun::Way QuantizeRun::best_way(const Base& plain, const Base* rescaled) {
  const std::size_t most = options_.held_out_at_most != 0 ? options_.held_out_at_most
                                                          : QuantizeOptions().held_out_at_most;
  const ExecutorFactory make_executor = trial_executor(options_, context_);
  WayTrials trials(plain.model->graph(), *held_out_, most, make_executor, context_);
  if (result_.held_out_samples != 0) {
    report_unreadable(trials.unreadable());
    result_.held_out_samples = trials.samples();
    if (trials.samples() == 0)
      trials = WayTrials(plain.model->graph(), *calibration_, most, make_executor, context_);
  }
  Way best{&plain, 0, corrects_, forms_};
  std::size_t best_trial = 0, pairs = 0;
  const std::size_t total = std::max(options_.observers.size(), choices_.size()) + (rescaled != nullptr) +
                            considers_dynamic(false);
  const auto attempt = [&](const Way& way) {
    context_.tell(Progress{"compare", result_.trials.size(), total});
    if (context_.is_cancelled()) return;
    const Ranges ranges = ranges_of_choice(*way.base->context, way.choice);
    const Pass passes = way.is_dynamic ? dynamically_quantizing()
                                       : with_ranges(ranges) | override_ranges(options_.range_overrides) |
                                             joining(way.forms, quantizing(way.corrects, way.forms));
    const double least = result_.trials.empty() ? -1 : result_.trials[best_trial].fidelity.cosine;
    const WayResult reached = trials.measure(*way.base->model, *way.base->context, passes, least);
    result_.trials.push_back({name_of(way), reached.fidelity, reached.ended_early});
    pairs = reached.pairs;
    if (result_.trials.size() > 1 && !(reached.fidelity.cosine > result_.trials[best_trial].fidelity.cosine)) return;
    best = way;
    best_trial = result_.trials.size() - 1;
  };
  if (!rescaled || options_.compare) attempt({&plain, 0, corrects_, forms_});
  const bool is_quantized = result_.trials.empty() || pairs != 0;
  if (is_quantized) {
    if (rescaled) attempt({rescaled, 0, corrects_, forms_});
    const Base* const base = best.base;
    for (std::size_t choice = 1; choice < options_.observers.size(); ++choice)
      attempt({base, choice, corrects_, forms_});
    if (options_.observers.size() < choices_.size()) attempt({&plain, choices_.size() - 1, false, options_.weights});
    const bool is_poor = !result_.trials.empty() && result_.trials[best_trial].fidelity.is_poor();
    if (considers_dynamic(is_poor)) attempt({&plain, 0, false, options_.weights, true});
  }
  std::rotate(result_.trials.begin(), result_.trials.begin() + static_cast<std::ptrdiff_t>(best_trial),
              result_.trials.begin() + static_cast<std::ptrdiff_t>(best_trial + !result_.trials.empty()));
  return best;
}

GRAFT_INLINE bool QuantizeRun::considers_dynamic(bool static_is_poor) const {
  const QuantizeOptions& o = options_;
  const bool wants_pairs = o.format != QuantizedFormat::qdq || o.goal || o.exclude_ends || o.commute ||
                           o.placement != Placement::min_cost || !o.range_overrides.empty() ||
                           !o.activation_overrides.empty() || o.observers.size() < 2;
  if (wants_pairs || !std::holds_alternative<AutomaticQuantization>(o.mode) || target_.dynamic_kernels.empty())
    return false;
  double matrices = 0, convolutions = 0;
  for (const Node& node : model_.graph().nodes()) {
    const bool is_matrix = multiplies_features(node);
    if (!is_matrix && !is_integer_conv(node, target_)) continue;
    (is_matrix ? matrices : convolutions) += elements_of(node.output(0)->shape()) * products_of(node);
  }
  return matrices > 0 && (convolutions == 0 || (static_is_poor && matrices > convolutions));
}

GRAFT_INLINE std::string QuantizeRun::name_of(const Way& way) const {
  if (way.is_dynamic) return "dynamic";
  const std::string name = choices_.empty() ? "the observer" : choices_[way.choice].name;
  return name + way.base->rescaled + (way.corrects ? ", biases corrected" : "");
}

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
  if (options_.commute) passes |= commute_dq_past_activation(target_);
  return passes | quantize_weights(forms, target_) | quantize_embeddings(forms.for_tables(), target_);
}

GRAFT_INLINE Pass QuantizeRun::dynamically_quantizing() const {
  DynamicOptions dynamic;
  dynamic.weights = options_.weights;
  return quantize_dynamic(target_, dynamic);
}

GRAFT_INLINE void QuantizeRun::finish() {
  if (is_dynamic_) {
    const Pass passes = dynamically_quantizing();
    if (step(passes)) step(infer_shapes());  // for the runtime's fusions
    if (options_.analyze) warn("dynamic quantization was chosen, which has no pairs to analyze");
    return read_products(passes.name(), result_);
  }
  if (rewrites_model(options_.placement) && !step(join_added_convs(forms_, target_))) return;
  const Pass passes = quantizing(corrects_, forms_);
  if (options_.goal && samples_) {
    const Pass keep = keep_fewest_in_float(*options_.goal, passes, *samples_, options_.layer_trials,
                                           trial_executor(options_, context_));
    if (!step(keep)) return;
    if (const auto* const goal = context_.facts.find<GoalResult>()) result_.goal = *goal;
  }
  if (options_.analyze && samples_) {
    if (!step(graft::analyze(passes, *samples_, options_.layer_trials, trial_executor(options_, context_)))) return;
    if (const auto* const analysis = context_.facts.find<Analysis>()) result_.analysis = *analysis;
  }
  step(passes);
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
