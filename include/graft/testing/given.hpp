#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/testing/detail/specimen.hpp>
#include <graft/testing/text.hpp>
#include <graft/testing/trial.hpp>

namespace graft::inline v1 {

/// A graph for testing rules and passes:
///
///     CHECK(given(g).rule(relu_relu).becomes("x: f32[2]; y = Relu(x)"));
///     CHECK(given(g).rule(bn_into_conv).refuses("training_mode"));
///     CHECK(given(g).pass(p).equivalent({.inputs = 20, .atol = 1e-5}));
class Given {
 public:
  explicit Given(const Model& model);

  /// The context of the passes: facts, budget, executor. By default, a Context that folds constants with the embedded
  /// executor.
  Given with(Context context) const;

  /// Runs the rule alone until it matches nowhere. Takes the rule's arguments. For a lowering, write pass(sweep(rule)).
  template <rule_like R, std::same_as<Argument>... A>
  Trial rule(const R& rule, A... arguments) const {
    const RuleView view = rule.view();
    // The driver rejects a rule that would never end when it runs, so that the check fails with the reason.
    const auto drive = [view](Graph& graph, Context& context) {
      return fixpoint(std::vector<RuleView>{view}).run(graph, context);
    };
    return Trial(specimen_, graft::pass(std::string(view.name()), graft::pass("", drive), std::move(arguments)...),
                 view.intent, context_);
  }
  Trial pass(Pass pass) const { return Trial(specimen_, std::move(pass), {}, context_); }
  /// A function (Graph&, Context&), as for graft::pass().
  template <class F>
    requires(std::invocable<const F&, Graph&, Context&> || !std::convertible_to<F, Pass>)
  Trial pass(F function) const {
    return pass(graft::pass("the pass", std::move(function)));
  }

 private:
  detail::Specimen specimen_;
  Context context_;
};

/// A copy of the model as of its last commit.
inline Given given(const Model& model) { return Given(model); }
/// A copy of the current model; commits pending changes.
Given given(Model& model);
inline Given given(Model&& model) { return given(model); }
/// A graph in text form.
inline Given given(std::string_view text) { return given(graft::graph(text)); }

}  // namespace graft::inline v1
