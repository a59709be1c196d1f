#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <graft/quantize/run/detail/candidate.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/judgement.hpp>
#include <graft/quantize/run/detail/prepared_model.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// A pass that rescales weights, and its effect in words.
struct Rescaling {
  Pass pass;
  std::string name;
};

/// Makes the candidates of static quantization.
class CandidateMaker {
 public:
  /// weights: their form in the candidates.
  CandidateMaker(const QuantizeCall& call, const RangePlan& plan, WeightForms weights);

  /// Whether products may have other forms than static.
  bool mixes_forms() const { return mixes_forms_; }
  /// Pairs with ranges of a method and the best of everything else. The base must outlive it.
  Candidate pairs(const PreparedModel& base, std::size_t method) const;
  /// The simplest: pairs with min-max ranges, which are those of the last method.
  Candidate simplest(const PreparedModel& base) const;
  /// Dynamic quantization of all products, and nothing else.
  Candidate dynamic(const PreparedModel& base) const;
  Candidate custom(const PreparedModel& base, const CustomCandidate& own) const;
  /// The candidate with a share of its activations in 16 bits.
  Candidate widened(Candidate candidate, double share) const;
  /// What moves factors from one weight to another, or to the activation between them.
  std::vector<Rescaling> rescaling() const;

 private:
  Candidate pairs(const PreparedModel& base, std::size_t method, bool corrects_biases,
                  const WeightForms& weights) const;

  const QuantizeCall& call_;
  const RangePlan& plan_;
  WeightForms weights_, simple_weights_;  // the second without clipping
  bool mixes_forms_;
};

/// Judges candidates one after the other, and keeps the best.
class CandidateSearch {
 public:
  /// expected: about how many candidates there will be, for progress. All outlive this.
  CandidateSearch(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker, const CandidateTrials& trials,
                  std::size_t expected);

  /// Keeps the candidate if it is better than the best so far. Candidates of the same products come in the order of how
  /// simple they are, and are better if they are nearer to float by more than the noise. Those with products in other
  /// forms, and a user's, are better if they are nearer and not slower, or faster and as near: Judgement::is_better().
  void judge(const Candidate& candidate);
  /// Judges the best candidate with the products dynamic or weight-only that take least time so; while outputs are not
  /// near to float, with those that are rounded much less so, and with every product in one of these forms.
  void judge_product_forms();

  std::size_t count() const { return judgements_.size(); }
  const Judgement& judgement(std::size_t i) const { return judgements_[i]; }
  const Candidate& best() const { return *best_; }
  const Judgement& reached() const { return reached_; }
  /// Puts the trial of the best candidate first, and marks those that were nearer by no more than the noise.
  void finish();

 private:
  QuantizeCall& call_;
  const RangePlan& plan_;
  const CandidateMaker& maker_;
  const CandidateTrials& trials_;
  std::size_t expected_;
  std::optional<Candidate> best_{};
  Judgement reached_{};
  std::size_t best_trial_ = 0;
  std::vector<Judgement> judgements_{};  // of each trial
};

/// Lists the candidates, judges them, and returns the best. If the call is cancelled before the first is judged,
/// returns that of the first method.
Candidate best_candidate(QuantizeCall& call, const RangePlan& plan, const CandidateMaker& maker,
                         const CandidateTrials& trials, const PreparedModel& plain, const PreparedModel* rescaled);

}  // namespace graft::inline v1::detail
