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
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Searches for the fewest layers to turn back with which the goal is met, in a given order: to float, or the products
/// among them to another form.
class FewestInFloat {
 public:
  using Names = std::set<std::string, std::less<>>;
  /// How the copy does in which these are turned back; to the end also where it cannot meet the goal any more.
  using Measure = std::function<TrialResult(const Names& turned_back, bool to_the_end)>;
  /// The layers, in the order in which they are to be turned back.
  using Ranking = std::function<std::vector<std::string>()>;

  /// may_go_on: asked in front of each trial that could do with fewer layers.
  FewestInFloat(const FidelityGoal& goal, Measure measure, Ranking ranking, std::function<bool()> may_go_on,
                const Context& context, ProductForm products = ProductForm::in_float);

  /// No layer is in float where the goal is met without, all are where it is met by nothing.
  GoalResult find();

 private:
  Names first(std::size_t count) const;

  TrialResult measure(const Names& names, bool to_the_end = false);

  /// How many of the first it takes, if more are never worse: all of them are enough, none are not. And how these do.
  std::size_t shortest(TrialResult& found);

  /// Takes out those of the first so many that are not needed after all, the last first; several at a time where there
  /// are many. To float none is turned back that costs no pairs: without it others may no longer pay.
  void drop(Names& names, TrialResult& found, std::size_t count);

  const FidelityGoal& goal_;
  Measure measure_;
  Ranking ranking_;
  std::function<bool()> may_go_on_;
  const Context& context_;
  ProductForm products_;
  std::vector<std::string> layers_;
  std::size_t trials_made_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/fewest_in_float.ipp>
#endif
