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

/// Searches for the fewest layers to turn back, in a given order, to meet the goal: to float, or products to another
/// form.
class FewestInFloat {
 public:
  using Names = std::set<std::string, std::less<>>;
  /// Measures the copy with these layers turned back. Runs all samples even if the goal can no longer be met.
  using Measure = std::function<TrialResult(const Names& turned_back, bool to_the_end)>;
  /// The layers in the order in which they are turned back.
  using Ranking = std::function<std::vector<std::string>()>;

  /// may_go_on: called before each trial with fewer layers.
  FewestInFloat(const FidelityGoal& goal, Measure measure, Ranking ranking, std::function<bool()> may_go_on,
                const Context& context, ProductForm products = ProductForm::in_float);

  /// No layer is in float if the goal is met without; all are if it cannot be met.
  GoalResult find();

 private:
  Names first(std::size_t count) const;

  TrialResult measure(const Names& names, bool to_the_end = false);

  /// Finds how many of the first layers are needed, assuming that more are never worse: all are enough, none are not.
  /// Also returns the fidelity with these.
  std::size_t shortest(TrialResult& found);

  /// Drops layers that are not needed from the first `count`, the last first, and several at a time if there are many.
  /// When turning back to float, keeps a layer without pairs of its own: without it, others may no longer pay.
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
