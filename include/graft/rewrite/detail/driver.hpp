#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/pattern/explain.hpp>
#include <graft/pattern/matcher.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/detail/apply.hpp>
#include <graft/rewrite/detail/lineage.hpp>
#include <graft/rewrite/detail/matched_nodes.hpp>
#include <graft/rewrite/detail/misspelt_operators.hpp>
#include <graft/rewrite/detail/rule_index.hpp>
#include <graft/rewrite/detail/worklist.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Runs rules over a graph: either once over the present nodes, or until none applies.
class Driver {
 public:
  using Condition = std::function<Verdict(const Node& root, const Context& context)>;

  Driver(std::span<const RuleView> rules, const Condition& condition, Graph& graph, Context& context,
         std::string_view pass)
      : rules_(rules),
        condition_(condition),
        context_(&context),
        pass_(pass),
        index_(rules, graph.model(), context),
        worklist_(graph, index_),
        rewriter_(graph, context),
        grown_(rules.size()),
        steps_(context.budget.steps.value_or(4 * count_nodes(graph) + 256)) {
    for (const RuleView& rule : rules) report_.rules.push_back({std::string(rule.name())});
    for (std::string& sentence : misspelt_operators(rules, graph)) warn(std::move(sentence));
  }

  Report run(bool repeat) {
    do {
      while (Node* const node = worklist_.next()) {
        if (!may_go_on()) return finished();
        visit(*node, repeat);
        if (report_.outcome != Outcome::converged) return finished();
      }
    } while (repeat && worklist_.start_round());
    return finished();
  }

 private:
  /// Checks the clock and the callbacks from time to time.
  bool may_go_on() {
    constexpr std::size_t interval = 256;
    if (visits_++ % interval != 0) return true;
    context_->report_progress(Progress{pass_, worklist_.done(), worklist_.size()});
    if (context_->is_cancelled()) report_.outcome = Outcome::cancelled;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    if (spent.count() > context_->budget.seconds) report_.outcome = Outcome::budget;
    return report_.outcome == Outcome::converged;
  }

  /// Applies the first rule, in order, that matches and is not refused.
  void visit(Node& node, bool repeat) {
    for (const std::size_t rule : index_.rules_at(node.op())) {
      RuleCount& count = report_.rules[rule];
      ++count.tried;
      if (!context_->refusals && !index_.may_match(rule, node)) continue;  // the matcher would report the reason
      if (!matcher_.run(index_.linked(rule), node)) {
        if (const Failure& best = matcher_.state().best; context_->refusals)
          refuse(rule, node, explain(rules_[rule].before, best, &node),
                 best.why == Why::refused ? best.reason.code : to_string(best.why), best.matched);
        continue;
      }
      if (const Verdict holds = condition_ ? condition_(node, *context_) : Verdict::yes(); !holds) {
        ++count.declined;
        if (context_->refusals) refuse(rule, node, holds.reason(), matcher_.state().nodes.size());
        continue;
      }
      if (report_.changes == steps_) {
        report_.outcome = Outcome::budget;
        warn_of_growth();
        return;
      }
      Lineage::Application application{};
      if (repeat) application = lineage_.describe(rule, node, index_.height(rule));
      matched_.remember(matcher_);
      const Graph& scope = node.graph();
      const std::size_t nodes = scope.nodes().size();
      Verdict done = apply(rules_[rule], matcher_, rewriter_);
      if (done && matched_.equal_product(rewriter_.edits()))
        done = Verdict::no("the replacement equals the matched nodes");
      if (done && repeat) {
        for (const std::size_t other : lineage_.circle(application))
          report_.oscillates.emplace_back(rules_[other].name());
        if (!report_.oscillates.empty()) {
          rewriter_.rollback();
          report_.outcome = Outcome::oscillates;
          return;
        }
      }
      if (done) done = rewriter_.accept();
      if (!done) {
        rewriter_.rollback();
        ++count.declined;
        if (context_->refusals) refuse(rule, node, done.reason(), matcher_.state().nodes.size());
        if (done.reason().code == no_executor || done.reason().code == no_edit)
          warn("'" + count.rule + "': " + to_string(done.reason()));
        continue;
      }
      ++count.applied;
      ++report_.changes;
      grown_[rule] += static_cast<std::ptrdiff_t>(scope.nodes().size()) - static_cast<std::ptrdiff_t>(nodes);
      if (repeat) {
        lineage_.record(application, node, rewriter_.edits());
        worklist_.touch(rewriter_.edits());
      }
      return;
    }
  }

  /// Reports a warning once, in the report and in the log.
  void warn(std::string warning) {
    if (std::find(report_.warnings.begin(), report_.warnings.end(), warning) != report_.warnings.end()) return;
    context_->write_log(warning);
    report_.warnings.push_back(std::move(warning));
  }

  /// Warns of the rules that enlarged the graph, if the steps ran out.
  void warn_of_growth() {
    if (std::accumulate(grown_.begin(), grown_.end(), std::ptrdiff_t{0}) <= 0) return;
    std::string which;
    for (std::size_t rule = 0; rule < grown_.size(); ++rule) {
      if (grown_[rule] <= 0) continue;
      which += (which.empty() ? "'" : ", '") + report_.rules[rule].rule + "' added " + std::to_string(grown_[rule]) +
               (grown_[rule] == 1 ? " node" : " nodes");
    }
    warn("the graph grew until the steps ran out: " + which);
  }

  /// Records a refusal. The last reason at a node counts.
  void refuse(std::size_t rule, const Node& node, std::string why, std::string_view code, std::size_t matched) {
    const auto [place, fresh] = refusal_of_.try_emplace({rule, &node}, refusals_.size());
    if (fresh) refusals_.emplace_back();
    refusals_[place->second] = {rule, &node, std::move(why), code, matched};
  }
  void refuse(std::size_t rule, const Node& node, const Reason& reason, std::size_t matched) {
    refuse(rule, node, to_string(reason), reason.code, matched);
  }

  Report finished() {
    for (LeftAlone& left : refusals_) {
      if (!is_alive(*left.node)) continue;
      const Value* const output = left.node->output(0);
      report_.refusals.push_back({std::string(rules_[left.rule].name()), describe(*left.node), std::move(left.why),
                                  left.code, left.matched, std::string(output != nullptr ? output->name() : "")});
    }
    return std::move(report_);
  }

  struct LeftAlone {
    std::size_t rule = 0;
    const Node* node = nullptr;
    std::string why{};
    std::string_view code{};
    std::size_t matched = 0;
  };

  std::span<const RuleView> rules_;
  const Condition& condition_;
  Context* context_;
  std::string_view pass_;
  RuleIndex index_;
  Worklist worklist_;
  Rewriter rewriter_;
  Matcher matcher_;
  MatchedNodes matched_;
  Lineage lineage_;
  Report report_;
  std::vector<LeftAlone> refusals_;
  std::map<std::pair<std::size_t, const Node*>, std::size_t> refusal_of_;
  std::vector<std::ptrdiff_t> grown_;  // nodes that each rule added, minus nodes that it removed
  std::size_t steps_, visits_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace graft::inline v1::detail
