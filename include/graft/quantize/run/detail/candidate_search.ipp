#pragma once
#include <graft/quantize/run/detail/candidate_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/detail/block_products.hpp>
#include <graft/quantize/detail/element_counts.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/place/choose_forms_by_cost.hpp>
#include <graft/quantize/place/choose_one_form.hpp>
#include <graft/quantize/place/commute.hpp>
#include <graft/quantize/place/placement.hpp>
#include <graft/quantize/place/widen_activations.hpp>
#include <graft/quantize/prepare/equalization.hpp>
#include <graft/quantize/prepare/join_added_convs.hpp>
#include <graft/quantize/prepare/smoothing.hpp>
#include <graft/quantize/tune/choose_forms_by_error.hpp>
#include <graft/quantize/weights/bias_correction.hpp>
#include <graft/quantize/weights/embeddings.hpp>
#include <graft/quantize/weights/quantize_weights_blockwise.hpp>
#include <graft/quantize/weights/weights.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE CandidateMaker::CandidateMaker(const QuantizeCall& call, const RangePlan& plan, WeightForms weights)
    : call_(call), plan_(plan), weights_(std::move(weights)), simple_weights_(weights_) {
  const StaticOptions& options = call.static_options();
  const Target& target = call.target;
  mixes_forms_ = options.mix_forms && options.placement == Placement::min_cost && !options.commute &&
                 !options.reconstruct && !options.bit_budget &&
                 !(target.dynamic_kernels.empty() && target.block_costs.empty());
  WeightForm common = weights_.common();
  if (plan.compares && plan.known == nullptr && common.granularity == Granularity::per_tensor) {
    common.clipping = Clipping::squared_error;
    weights_ = weights_.with_common(common);
  }
}

GRAFT_INLINE Candidate CandidateMaker::pairs(const PreparedModel& base, std::size_t method) const {
  return pairs(base, method, call_.static_options().correct_biases && call_.samples.has_value(), weights_);
}

GRAFT_INLINE Candidate CandidateMaker::simplest(const PreparedModel& base) const {
  return pairs(base, plan_.methods.size() - 1, false, simple_weights_);
}

GRAFT_INLINE Candidate CandidateMaker::pairs(const PreparedModel& base, std::size_t method, bool corrects_biases,
                                             const WeightForms& weights) const {
  const StaticOptions& options = call_.static_options();
  const Target& target = call_.target;
  Pass passes = inject_qdq(target, options.placement);
  if (corrects_biases) passes |= correct_biases(weights, target);
  if (mixes_forms_) {
    passes |= quantize_dynamic(target, {.weights = weights, .tables = {}}) |
              quantize_weights_blockwise(target, {.tables = {}});
  }
  if (options.commute) passes |= commute_dq_past_activation(target);
  passes |= quantize_weights(weights, target) | quantize_embeddings(weights.for_tables(), target);
  Candidate candidate{.name = plan_.name_of(method) + base.rescaled + (corrects_biases ? ", biases corrected" : ""),
                      .base = &base,
                      .method = method,
                      .quantize = std::move(passes)};
  if (rewrites_model(options.placement)) candidate.before = join_added_convs(weights, target);
  return candidate;
}

GRAFT_INLINE Candidate CandidateMaker::dynamic(const PreparedModel& base) const {
  DynamicOptions options;
  options.weights = call_.static_options().weights;
  return {.name = "dynamic",
          .base = &base,
          .places_pairs = false,
          .quantize = quantize_dynamic(call_.target, std::move(options))};
}

GRAFT_INLINE Candidate CandidateMaker::custom(const PreparedModel& base, const CustomCandidate& own) const {
  return {.name = own.name, .base = &base, .method = 0, .places_pairs = false, .quantize = own.quantize};
}

GRAFT_INLINE Candidate CandidateMaker::widened(Candidate candidate, double share) const {
  candidate.name += ", " + std::to_string(std::lround(share * 100)) + " % of activations in 16 bits";
  const Pass widen = widen_activations(share, call_.target);
  candidate.before = candidate.before ? *candidate.before | widen : widen;
  return candidate;
}

GRAFT_INLINE std::vector<Rescaling> CandidateMaker::rescaling() const {
  const StaticOptions& options = call_.static_options();
  std::vector<Rescaling> passes;
  if (options.equalize) passes.push_back({equalize_weights(), "weights equalized"});
  if (options.smooth) passes.push_back({smooth_activations(weights_, call_.target), "activations smoothed"});
  return passes;
}

GRAFT_INLINE CandidateSearch::CandidateSearch(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker,
                                              const CandidateTrials& trials, std::size_t expected)
    : call_(call), plan_(plan), maker_(maker), trials_(trials), expected_(expected) {}

GRAFT_INLINE void CandidateSearch::judge(const Candidate& candidate) {
  std::vector<QuantizeTrial>& told = call_.result.trials;
  call_.context.report_progress(Progress{"compare", told.size(), expected_});
  if (call_.context.is_cancelled()) return;
  Context known = *candidate.base->context;
  candidate.provide_products(maker_.mixes_forms(), known.facts);
  const bool is_first = told.empty(), is_other_kind = candidate.products.size() != 0 || !candidate.places_pairs;
  const double least = is_first ? -1 : is_other_kind ? reached_.least_cosine() : reached_.fidelity.cosine;
  Model& model = *candidate.base->model;
  Judgement judgement;
  if (!candidate.method) {
    judgement = trials_.measure(model, known, candidate.quantize, call_.target, least);
  } else {
    const auto passes = [&](std::size_t fold) {
      const Pass ranged = with_ranges(candidate.base->ranges_without(plan_, *candidate.method, fold)) |
                          override_ranges(call_.static_options().range_overrides);
      return candidate.before ? ranged | *candidate.before | candidate.quantize : ranged | candidate.quantize;
    };
    const Judgement* const simpler = is_first || is_other_kind ? nullptr : &reached_;
    judgement = trials_.measure(model, known, passes, call_.target, least, simpler);
  }
  told.push_back({candidate.full_name(), judgement.fidelity, judgement.ended_early});
  judgements_.push_back(judgement);
  const bool is_better = is_other_kind ? judgement.is_better(reached_) : judgement.is_nearer(reached_);
  if (!is_first && (judgement.ended_early || !is_better)) return;
  best_ = candidate;
  reached_ = std::move(judgement);
  best_trial_ = told.size() - 1;
}

GRAFT_INLINE void CandidateSearch::judge_product_forms() {
  if (!best_) return;
  const Target& target = call_.target;
  const Candidate start = *best_;
  const PreparedModel& base = *start.base;
  const Pass ranged = with_ranges(base.ranges(plan_, *start.method));
  TrialCopy copy(*base.model, *base.context, start.before ? ranged | *start.before : ranged);
  std::set tried{start.products.choices()};
  const auto choose = [&](const Pass& chooser) {
    Candidate candidate = *best_;
    copy.context.facts.provide(best_->products);
    chooser.run(copy.model, copy.context);
    candidate.products = copy.context.facts.value_or_default<ProductForms>();
    if (tried.insert(candidate.products.choices()).second) judge(candidate);
  };
  const auto is_near = [&] { return reached_.fidelity.is_near(); };
  choose(choose_forms_by_cost(target));
  if (block_cost(target, 4) != nullptr) choose(choose_forms_by_cost(target, 4));
  if (!is_near()) choose(choose_forms_by_error(target, trials_.source(), call_.trial_executor));
  if (!is_near()) choose(choose_one_form(target, ProductForm::dynamic));
  if (!is_near()) choose(choose_one_form(target, ProductForm::weight_only));
}

GRAFT_INLINE void CandidateSearch::finish() {
  std::vector<QuantizeTrial>& told = call_.result.trials;
  for (std::size_t i = 0; i < told.size(); ++i)
    told[i].within_noise = i != best_trial_ && !judgements_[i].ended_early &&
                           judgements_[i].fidelity.cosine > reached_.fidelity.cosine &&
                           !judgements_[i].is_nearer(reached_);
  const auto first = told.begin(), best = first + static_cast<std::ptrdiff_t>(best_trial_);
  std::rotate(first, best, best + !told.empty());
  if (told.empty()) return;
  call_.result.accuracy = {told.front().fidelity, trials_.samples(), call_.result.held_out_samples != 0};
}

/// How much of a model's work products of matrices do, and how much convolutions.
struct ProductWork {
  double matrices = 0, convolutions = 0;

  ProductWork(const PreparedModel& prepared, const Target& target) {
    Graph& graph = prepared.model->graph();
    const TypicalSizes sizes(graph, *prepared.context);
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

GRAFT_INLINE Candidate best_candidate(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker,
                                      const CandidateTrials& trials, const PreparedModel& plain,
                                      const PreparedModel* rescaled) {
  const StaticOptions& options = call.static_options();
  const bool has_overrides = !options.range_overrides.empty() || !options.activation_overrides.empty();
  std::optional<ProductWork> work;
  if (maker.mixes_forms() && plan.given() > 1 && !has_overrides) work.emplace(plain, call.target);
  const bool tries_products = work && work->matrices > 0;
  const bool tries_dynamic = work && !call.target.dynamic_kernels.empty() && !options.goal && !options.exclude_ends;
  const bool mixes_widths = options.activations == Activations::mixed;
  const std::size_t methods = std::max<std::size_t>(plan.given(), 1);
  CandidateSearch search(call, plan, maker, trials,
                         std::max<std::size_t>(plan.methods.size(), 1) + (rescaled != nullptr) +
                             (tries_products ? 5 : 0) + (tries_dynamic && work->is_of_matrices(false)) +
                             (mixes_widths ? 4 + methods : 0) + options.candidates.size());

  if (plan.has_simplest()) search.judge(maker.simplest(plain));
  if (search.count() == 0 || search.reached().is_quantized) {
    if (rescaled == nullptr || call.options.compare) search.judge(maker.pairs(plain, 0));
    const std::size_t unscaled = search.count();
    if (rescaled != nullptr) search.judge(maker.pairs(*rescaled, 0));
    const bool rescales = search.count() > unscaled &&
                          (unscaled == 0 || search.judgement(unscaled).is_nearer(search.judgement(unscaled - 1)));
    for (std::size_t method = 1; method < plan.given(); ++method)
      search.judge(maker.pairs(rescales ? *rescaled : plain, method));
  }
  if (tries_products) search.judge_product_forms();
  const bool is_poor = search.reached().fidelity.is_poor(), is_quantized = search.reached().is_quantized;
  if (tries_dynamic && is_quantized && work->is_of_matrices(is_poor)) search.judge(maker.dynamic(plain));
  if (mixes_widths && search.count() != 0) {
    const Candidate narrow = search.best();
    for (const double share : {0.25, 0.5, 0.75, 1.0}) search.judge(maker.widened(narrow, share));
    // What makes up for 8 bits, rescaled weights and ranges that clip, is of no use to 16.
    for (std::size_t method = 0; narrow.method && method < methods; ++method)
      if (narrow.base != &plain || *narrow.method != method)
        search.judge(maker.widened(maker.pairs(plain, method), 1.0));
  }
  for (const CustomCandidate& own : options.candidates) search.judge(maker.custom(plain, own));
  search.finish();
  return search.count() == 0 ? maker.pairs(plain, 0) : search.best();
}

}  // namespace graft::inline v1::detail
