#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/place/choose_forms_by_cost.hpp>
#include <graft/quantize/place/choose_one_form.hpp>
#include <graft/quantize/prepare/join_added_convs.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/report_unread.hpp>
#include <graft/quantize/run/detail/trial_copy.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/quantize/tune/choose_forms_by_error.hpp>
#include <graft/rewrite/pass.hpp>

// Of several ways to quantize, the best on samples.

namespace graft::inline v1::detail {

GRAFT_INLINE bool QuantizeRun::find_ranges() {
  if (options_.ranges) take_known_ranges();
  if (!samples_) {
    if (!options_.ranges) throw Error("there are neither samples nor ranges");
    result_.ranges = with_overrides(*options_.ranges);
    check_.run_float(model_.graph(), result_.ranges);
    drop_dead_channels(*options_.ranges);
    return step(override_ranges(options_.range_overrides));
  }
  if (tries() && !samples_->begins_anew())
    throw Error("the samples can be gone through only once: hold them in a vector, or use QuantizeOptions::fast()");
  folds_.emplace(*samples_, tries() ? options_.max_held_out : 0, !choices_.empty());
  PreparedModel plain{&model_, &context_};
  if (!observe(plain) || context_.is_cancelled()) return false;
  check_.run_float(model_.graph(), *samples_);
  drop_dead_channels(ranges_of_choice(context_, 0));

  std::optional<Model> other;
  Context other_context = context_;
  std::optional<PreparedModel> rescaled;
  if ((options_.equalize || options_.smooth) && !options_.ranges) {
    other = model_.clone();
    const Report report = rescaling().run(*other, other_context);
    if (report.changes != 0) {
      rescaled = PreparedModel{&*other, &other_context};
      if (!observe(*rescaled, &plain)) return false;
      const auto changes = [&](std::string_view pass) {
        const Report* const part = report.pass == pass ? &report : report.step(pass);
        return part != nullptr && part->changes != 0;
      };
      if (changes("equalize_weights")) rescaled->rescaled += ", weights equalized";
      if (changes("smooth_activations")) rescaled->rescaled += ", activations smoothed";
    }
  }
  Candidate way{rescaled ? &*rescaled : &plain, 0, corrects_, forms_};
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
  know_products(way, context_);
  context_.facts.provide(std::move(ranges));
  return step(override_ranges(options_.range_overrides));
}

/// How much of a model's work products of matrices do, and how much convolutions.
struct ProductWork {
  double matrices = 0, convolutions = 0;

  ProductWork(const Graph& graph, const Target& target) {
    for (const Node& node : graph.nodes()) {
      const bool is_matrix = multiplies_features(node);
      if (!is_matrix && !is_integer_conv(node, target)) continue;
      (is_matrix ? matrices : convolutions) += elements_of(node.output(0)->shape()) * products_of(node);
    }
  }
  /// Whether dynamic quantization of all products, beside convolutions in float, may serve as well.
  bool is_of_matrices(bool static_is_poor) const {
    return matrices > 0 && (convolutions == 0 || (static_is_poor && matrices > convolutions));
  }
};

GRAFT_INLINE bool QuantizeRun::allows_forms() const {
  return std::holds_alternative<AutomaticQuantization>(options_.mode) &&
         !(target_.dynamic_kernels.empty() && target_.block_costs.empty()) &&
         options_.placement == Placement::min_cost && options_.format == QuantizedFormat::qdq && !options_.commute;
}

GRAFT_INLINE bool QuantizeRun::tries_forms() const {
  return allows_forms() && options_.observers.size() > 1 && options_.range_overrides.empty() &&
         options_.activation_overrides.empty();
}

GRAFT_INLINE void QuantizeRun::know_products(const Candidate& way, Context& context) const {
  if (way.is_dynamic) context.facts.withdraw<ProductForms>();
  else if (allows_forms()) context.facts.provide(way.products);
}

GRAFT_INLINE QuantizeRun::Candidate QuantizeRun::best_way(const PreparedModel& plain, const PreparedModel* rescaled) {
  const std::size_t most = options_.max_held_out != 0 ? options_.max_held_out : QuantizeOptions().max_held_out;
  const ExecutorFactory make_executor = trial_executor(options_, context_);
  CandidateTrials& trials = trials_.emplace(plain.model->graph(), folds_->judging, most, make_executor, context_);
  if (folds_->are_unseen) {
    report_unread(trials.unreadable(), result_.passes);
    result_.held_out_samples = trials.samples();
    if (trials.samples() == 0)
      trials = CandidateTrials(plain.model->graph(), folds_->calibrated, most, make_executor, context_);
  }
  std::optional<ProductWork> work;
  if (tries_forms()) {
    const TypicalSizes sizes(plain.model->graph(), context_);
    work.emplace(plain.model->graph(), target_);
  }
  const bool tries_products = work && work->matrices > 0;
  const bool tries_all = work && !target_.dynamic_kernels.empty() && !options_.goal && !options_.exclude_ends;
  Search search{trials, {&plain, 0, corrects_, forms_}};
  search.total = std::max(options_.observers.size(), choices_.size()) + (rescaled != nullptr) +
                 (tries_products ? 5 : 0) + (tries_all && work->is_of_matrices(false));
  const bool has_simplest = options_.observers.size() < choices_.size();
  if (has_simplest) attempt({&plain, choices_.size() - 1, false, options_.weights}, search);
  if (result_.trials.empty() || search.reached.is_quantized) {
    if (!rescaled || options_.compare) attempt({&plain, 0, corrects_, forms_}, search);
    const std::size_t unscaled = result_.trials.size();
    if (rescaled) attempt({rescaled, 0, corrects_, forms_}, search);
    const bool rescales = search.results.size() > unscaled &&
                          (unscaled == 0 || search.results[unscaled].is_nearer(search.results[unscaled - 1]));
    for (std::size_t choice = 1; choice < options_.observers.size(); ++choice)
      attempt({rescales ? rescaled : &plain, choice, corrects_, forms_}, search);
  }
  if (tries_products) attempt_products(search);
  const bool is_poor = search.reached.fidelity.is_poor(), is_quantized = search.reached.is_quantized;
  if (tries_all && is_quantized && work->is_of_matrices(is_poor))
    attempt({&plain, 0, false, options_.weights, true}, search);
  for (std::size_t i = 0; i < result_.trials.size(); ++i)
    result_.trials[i].within_noise = i != search.best_trial && !search.results[i].ended_early &&
                                     search.results[i].fidelity.cosine > search.reached.fidelity.cosine &&
                                     !search.results[i].is_nearer(search.reached);
  const auto first = result_.trials.begin(), best = first + static_cast<std::ptrdiff_t>(search.best_trial);
  std::rotate(first, best, best + !result_.trials.empty());
  if (!result_.trials.empty())
    result_.accuracy = {result_.trials.front().fidelity, trials.samples(), result_.held_out_samples != 0};
  return search.best;
}

GRAFT_INLINE void QuantizeRun::attempt(const Candidate& way, Search& search) {
  context_.tell(Progress{"compare", result_.trials.size(), search.total});
  if (context_.is_cancelled()) return;
  Context known = *way.base->context;
  know_products(way, known);
  const auto passes = [&](std::size_t fold) {
    return with_ranges(ranges_without(*way.base, way.choice, fold)) | override_ranges(options_.range_overrides) |
           joining(way.forms, quantizing(way.corrects, way.forms));
  };
  const bool is_first = result_.trials.empty(), has_products = way.products.size() != 0 || way.is_dynamic;
  const CandidateResult best = search.reached;
  const double least = is_first ? -1 : has_products ? best.least_cosine() : best.fidelity.cosine;
  Model& model = *way.base->model;
  const CandidateResult reached =
      way.is_dynamic
          ? search.trials.measure(model, known, dynamically_quantizing(), target_, least)
          : search.trials.measure(model, known, passes, target_, least, is_first || has_products ? nullptr : &best);
  result_.trials.push_back({name_of(way), reached.fidelity, reached.ended_early});
  search.results.push_back(reached);
  const bool is_better = has_products ? reached.is_better(best) : reached.is_nearer(best);
  if (!is_first && (reached.ended_early || !is_better)) return;
  search.best = way;
  search.reached = reached;
  search.best_trial = result_.trials.size() - 1;
}

GRAFT_INLINE void QuantizeRun::attempt_products(Search& search) {
  const Candidate& best = search.best;
  const Context& known = *best.base->context;
  const Pass joins = with_ranges(ranges_of_choice(known, best.choice)) | join_added_convs(best.forms, target_);
  TrialCopy copy(*best.base->model, known, joins);
  std::set tried{best.products.choices()};
  const auto choose = [&](const Pass& chooser) {
    Candidate way = best;
    copy.context.facts.provide(best.products);
    chooser.run(copy.model, copy.context);
    way.products = copy.context.facts.value_or_default<ProductForms>();
    if (tried.insert(way.products.choices()).second) attempt(way, search);
  };
  const auto is_near = [&] { return search.reached.fidelity.is_near(); };
  choose(choose_forms_by_cost(target_));
  if (block_cost(target_, 4) != nullptr) choose(choose_forms_by_cost(target_, 4));
  if (!is_near()) choose(choose_forms_by_error(target_, search.trials.source(), trial_executor(options_, context_)));
  if (!is_near()) choose(choose_one_form(target_, ProductForm::dynamic));
  if (!is_near()) choose(choose_one_form(target_, ProductForm::weight_only));
}

GRAFT_INLINE std::string QuantizeRun::name_of(const Candidate& way) const {
  if (way.is_dynamic) return "dynamic";
  const std::string name = choices_.empty() ? "the observer" : choices_[way.choice].name;
  const std::size_t dynamic = way.products.dynamic.reasons.size(), weight_only = way.products.size() - dynamic;
  return name + way.base->rescaled + (way.corrects ? ", biases corrected" : "") +
         (dynamic == 0 ? "" : ", dynamic products: " + std::to_string(dynamic)) +
         (weight_only == 0 ? "" : ", weight-only products: " + std::to_string(weight_only));
}

}  // namespace graft::inline v1::detail
