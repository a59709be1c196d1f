#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <graft/quantize/target/product_forms.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Searches for the fewest layers to turn back with which the goal is met, the worst first: to float, or the products
/// among them to another form.
class FewestInFloat {
 public:
  using Names = std::set<std::string, std::less<>>;
  /// How the copy does in which these are turned back.
  using Measure = std::function<TrialResult(const Names& turned_back)>;
  /// The layers, the worst first.
  using Effects = std::function<std::vector<LayerEffect>()>;

  FewestInFloat(const FidelityGoal& goal, Measure measure, Effects effects, const Context& context,
                ProductForm products = ProductForm::in_float);

  /// No layer is in float where the goal is met without, all are where it is met by nothing.
  GoalResult find();

 private:
  Names first(std::size_t count) const;

  TrialResult measure(const Names& names);

  /// How many of the first it takes, if more are never worse: all of them are enough, none are not. And how these do.
  std::size_t shortest(TrialResult& found);

  /// Takes out those of the first so many that are not needed after all. To float none is turned back that costs no
  /// pairs: without it others may no longer pay.
  void drop(Names& names, TrialResult& found, std::size_t count);

  const FidelityGoal& goal_;
  Measure measure_;
  Effects effects_;
  const Context& context_;
  ProductForm products_;
  std::vector<LayerEffect> layers_;
  std::size_t trials_made_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/fewest_in_float.ipp>
#endif
