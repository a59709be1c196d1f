#pragma once
#include <graft/testing/fuzz.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/print.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/testing/detail/leftovers.hpp>
#include <graft/testing/equivalent.hpp>
#include <graft/testing/given.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/shrink.hpp>
#include <graft/testing/trial.hpp>

namespace graft::inline v1 {

namespace detail {

/// One pass over many graphs.
class Fuzz {
 public:
  Fuzz(const Pass& pass, const Intent& intent, const FuzzOptions& options)
      : pass_(pass), intent_(intent), options_(&options), context_(options.context.value_or(Context())) {
    if (!context_.executor) context_.executor = node_executor();
    context_.operators = options.vocabulary.definitions;
    how_.inputs = options.inputs;
    how_.atol = options.atol;
    how_.rtol = options.rtol;
    how_.stable_only = true;
    if (!intent.values.empty()) how_.atol = std::numeric_limits<double>::infinity();  // only dtypes and shapes count
    if (options.vocabulary.kernels != nullptr) how_.kernels = options.vocabulary.kernels;
  }

  Trial trial(const Model& model, const Pass& pass) const {
    return Trial(Specimen(model), pass, intent_, context_);
  }

  std::optional<std::string> fault_of(const Model& model) const {
    const Trial trial = this->trial(model, pass_);
    const Run run = trial.run();
    return fault_of(trial, run);
  }

  std::optional<std::string> fault_of(const Trial& trial, const Run& run) const {
    if (auto fault = trial.fault_of(run)) return fault;
    if (!run.changed) return std::nullopt;
    Model before = trial.specimen().copy();
    if (auto difference = difference_of(before, run.model)) return difference;
    if (auto left = first_new(litter(before), litter(run.model))) return "it leaves behind " + *left;
    if (options_->sweep) return std::nullopt;  // a second run may change the new nodes
    const Run second = trial.on(run.model.proto()).run();
    if (second.changed || !second.untouched) return "a second run changes the graph again";
    return std::nullopt;
  }

  /// The difference in values; nullopt for a graph that cannot be evaluated.
  std::optional<std::string> difference_of(const Model& before, const Model& after) const {
    Equivalence how = how_;
    how.atol = std::max(how.atol, rounding_of(before));
    Model a = inlined(before);
    infer_shapes(a.graph());  // shows tensors that are always empty
    if (after.functions().empty()) return compare(a.graph(), &after.graph(), how).difference;
    const Model b = inlined(after);
    return compare(a.graph(), &b.graph(), how).difference;
  }

  /// The model of the i-th seed.
  Model model(std::uint64_t seed, std::size_t nodes) const {
    Model model = random_graph(seed, nodes, options_->vocabulary);
    if (!options_->before || seed % 3 == 0) return model;
    Model changed(model.proto(), model);
    Context context = context_;
    try {
      options_->before->run(changed, context);
      return Model(changed.commit(), changed);
    } catch (const Error&) {
      return model;
    }
  }

  FuzzFinding finding(const Model& model, const std::function<std::optional<std::string>(const Model&)>& why) const {
    const Model small = shrink(model, [&](const Model& less) { return why(less).has_value(); });
    FuzzFinding found;
    found.why = why(small).value_or("");
    found.model = small.proto();
    found.text = to_string(small.graph());
    return found;
  }

  /// The tolerance of elements if some values have few bits, relative to the largest of them.
  static double rounding_of(const Model& model) {
    double most = 0;
    for (const Graph* const scope : model.scopes()) {
      for (const Value* const input : scope->inputs()) most = std::max(most, rounding_of(input->dtype()));
      for (const Node& node : scope->nodes())
        for (const Value& output : node.outputs()) most = std::max(most, rounding_of(output.dtype()));
    }
    return most;
  }
  static double rounding_of(DType dtype) { return dtype == DType::bf16 ? 0x1p-4 : dtype == DType::f16 ? 0x1p-6 : 0; }

  /// The evaluator does not call functions.
  static Model inlined(const Model& model) {
    Model copy(model.proto(), model);
    if (copy.functions().empty()) return copy;
    inline_functions().run(copy);
    copy.commit();
    return copy;
  }

 private:
  Pass pass_;
  Intent intent_;
  const FuzzOptions* options_;
  Context context_;
  Equivalence how_;
};

inline void count_rules(const Report& report, std::map<std::string, std::size_t>& applied) {
  std::vector<const Report*> open{&report};
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const RuleCount& count : open[i]->rules) applied[count.rule] += count.applied;
    for (const Report& step : open[i]->steps) open.push_back(&step);
  }
}

/// other: the same rules in another order; nullptr for a pass.
inline FuzzReport run_fuzz(const Pass& pass, const Pass* other, const Intent& intent, const FuzzOptions& options) {
  const Fuzz fuzz(pass, intent, options);
  const auto start = std::chrono::steady_clock::now();
  FuzzReport report;
  for (std::size_t i = 0; i < options.count && report.failures.size() < options.failures; ++i) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options.seconds) break;
    const std::uint64_t seed = options.seed * 1'000'003 + i;
    const std::size_t nodes = 3 + i % std::max<std::size_t>(1, options.nodes - 2);
    const auto add = [&](std::vector<FuzzFinding>& list, FuzzFinding found) {
      found.seed = seed;
      found.nodes = nodes;
      list.push_back(std::move(found));
    };
    const Model model = fuzz.model(seed, nodes);
    ++report.graphs;
    const Trial trial = fuzz.trial(model, pass);
    const Run run = trial.run();
    count_rules(run.report, report.applied);
    report.changed += run.changed ? 1 : 0;
    if (fuzz.fault_of(trial, run)) {
      add(report.failures, fuzz.finding(model, [&](const Model& less) { return fuzz.fault_of(less); }));
      continue;
    }
    if (other == nullptr || !run.changed) continue;
    const auto wrong_order = [&](const Model& less) -> std::optional<std::string> {
      const Run otherwise = fuzz.trial(less, *other).run();
      if (!otherwise.error.empty()) return "in another order of the rules: " + otherwise.error;
      const Model before(less.proto(), less);
      if (auto difference = fuzz.difference_of(before, otherwise.model))
        return "in another order of the rules: " + *difference;
      return std::nullopt;
    };
    const auto other_order = [&](const Model& less) -> std::optional<std::string> {
      const TestResult same = isomorphic(fuzz.trial(less, pass).run().model, fuzz.trial(less, *other).run().model);
      return same ? std::nullopt : std::optional(same.message());
    };
    if (wrong_order(model)) {
      add(report.failures, fuzz.finding(model, wrong_order));
    } else if (other_order(model)) {
      if (++report.orders <= 3) add(report.order_examples, fuzz.finding(model, other_order));
    }
  }
  return report;
}

}  // namespace detail

GRAFT_INLINE std::string FuzzReport::message() const {
  std::string text = std::to_string(graphs) + " graphs, " + std::to_string(changed) + " rewritten, " +
                     std::to_string(failures.size()) + " failures\n";
  for (const FuzzFinding& failure : failures) {
    text += "random_graph(" + std::to_string(failure.seed) + ", " + std::to_string(failure.nodes) +
            "): " + failure.why + "\n" + failure.text + "\n";
  }
  return text;
}

GRAFT_INLINE FuzzReport fuzz(const Pass& pass, const FuzzOptions& options) {
  return detail::run_fuzz(pass, nullptr, {}, options);
}

GRAFT_INLINE FuzzReport fuzz(const std::vector<RuleView>& rules, const FuzzOptions& options) {
  FuzzOptions own = options;
  own.vocabulary.patterns.insert(own.vocabulary.patterns.end(), rules.begin(), rules.end());
  Intent intent;
  for (const RuleView& rule : rules) {
    intent.signature = intent.signature || rule.intent.signature;
    if (intent.values.empty()) intent.values = rule.intent.values;
  }
  const auto drive = [&](const std::vector<RuleView>& order) { return own.sweep ? sweep(order) : fixpoint(order); };
  const Pass pass = drive(rules);
  if (rules.size() < 2) return detail::run_fuzz(pass, nullptr, intent, own);
  const Pass other = drive(std::vector<RuleView>(rules.rbegin(), rules.rend()));
  return detail::run_fuzz(pass, &other, intent, own);
}

}  // namespace graft::inline v1
