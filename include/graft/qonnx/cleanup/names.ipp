#pragma once
#include <graft/qonnx/cleanup/names.hpp>

#include <cstddef>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass numbered_node_names(std::string prefix) {
  return pass("numbered_node_names",
              [prefix = std::move(prefix)](Graph& graph, Context& context) {
                Report report;
                std::map<std::string, std::size_t> counts, bearers;
                for (const Node& node : graph.nodes()) ++bearers[std::string(node.name())];
                // Facts about a node move to an unused name first and then to the new one, because two nodes may
                // exchange names.
                std::vector<std::pair<std::string, std::string>> known;
                for (Graph* const scope : scopes_of(graph)) {
                  for (Node& node : scope->nodes()) {
                    const std::string op(node.op_type());
                    const std::string name = prefix + op + "_" + std::to_string(counts[op]++);
                    if (node.name() == name) continue;
                    if (scope == &graph && !node.name().empty()) {
                      known.emplace_back("\n" + name, name);
                      if (--bearers[std::string(node.name())] == 0)
                        context.facts.node_renamed(node.name(), known.back().first);
                      else context.facts.node_copied(node.name(), known.back().first);
                    }
                    scope->rename(node, name);
                    ++report.changes;
                  }
                }
                for (const auto& [between, name] : known) context.facts.node_renamed(between, name);
                return report;
              })
      .preserves_all();
}

namespace detail {

/// The new names of values, all decided before the first renaming.
class TensorNaming {
 public:
  TensorNaming(Graph& graph, const TensorNames& which) : graph_(graph) {
    const std::vector<Graph*> scopes = scopes_of(graph);
    for (const Graph* const scope : scopes) {
      keep_signature(*scope, which);
      keep_unread(*scope);
    }
    if (which.signature) name_signature();
    for (Graph* const scope : scopes) name_outputs(*scope);
    for (Graph* const scope : scopes) name_parameters(*scope);
  }

  std::size_t run(Context& context) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < plan_.size(); ++i)
      if (plan_[i].first->name() != plan_[i].second) others.push_back(i);
    std::vector<std::string> before, between;
    for (const std::size_t i : others) {
      Value& value = *plan_[i].first;
      before.emplace_back(value.name());
      between.push_back(graph_.fresh_name("graft_unnamed"));
      value.graph().rename(value, between.back());
    }
    for (const std::size_t i : others) plan_[i].first->graph().rename(*plan_[i].first, plan_[i].second);
    const auto is_main = [&](std::size_t k) { return &plan_[others[k]].first->graph() == &graph_; };
    for (std::size_t k = 0; k < others.size(); ++k)
      if (is_main(k)) context.facts.tensor_renamed(before[k], between[k]);
    for (std::size_t k = 0; k < others.size(); ++k)
      if (is_main(k)) context.facts.tensor_renamed(between[k], plan_[others[k]].second);
    return others.size();
  }

 private:
  void keep_signature(const Graph& scope, const TensorNames& which) {
    const bool is_renamed = &scope == &graph_ && which.signature;
    for (Value* const input : scope.inputs())
      if (!is_renamed) keep(input);
    for (Value* const output : scope.outputs())
      if (!is_renamed && (&scope == &graph_ || scope.is_function())) keep(output);
  }

  /// Initializers without readers, which an annotation may name.
  void keep_unread(const Graph& scope) {
    for (Value* const value : scope.initializers()) {
      bool is_read = false;
      for (const Use& use : value->uses()) is_read = is_read || !use.is_graph_output();
      if (!is_read) keep(value);
    }
  }

  void keep(Value* value) {
    if (value == nullptr || !named_.insert(value).second) return;
    taken_.emplace(value->name());
  }

  void name(Value& value, const std::string& wanted) {
    if (value.name().empty() || !named_.insert(&value).second) return;
    std::string free = wanted;
    for (std::size_t i = 1; !taken_.insert(free).second; ++i) free = wanted + "_" + std::to_string(i);
    plan_.emplace_back(&value, std::move(free));
  }

  void name_signature() {
    const auto numbered = [](std::string_view word, std::size_t i) {
      return std::string(word) + (i == 0 ? "" : "_" + std::to_string(i));
    };
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) name(*graph_.inputs()[i], numbered("global_in", i));
    for (std::size_t i = 0; i < graph_.output_count(); ++i)
      if (graph_.output(i) != nullptr) name(*graph_.output(i), numbered("global_out", i));
  }

  /// Not display_name(): for a node without a name it contains the output's name, which changes.
  static std::string stem_of(const Node& node) {
    return std::string(node.name().empty() ? node.op_type() : node.name());
  }

  void name_outputs(Graph& scope) {
    for (Node& node : scope.nodes()) {
      const std::string stem = stem_of(node);
      for (std::size_t i = 0; i < node.output_count(); ++i) name(*node.output(i), stem + "_out" + std::to_string(i));
    }
  }

  void name_parameters(Graph& scope) {
    for (Node& node : scope.nodes()) {
      const std::string stem = stem_of(node);
      std::size_t count = 0;
      for (Value* const input : node.inputs())
        if (input != nullptr && input->initializer() != nullptr && !input->is_graph_input())
          name(*input, stem + "_param" + std::to_string(count++));
    }
  }

  Graph& graph_;
  std::vector<std::pair<Value*, std::string>> plan_;
  std::unordered_set<const Value*> named_;
  std::unordered_set<std::string> taken_;
};

}  // namespace detail

GRAFT_INLINE Pass readable_tensor_names(TensorNames which) {
  return pass("readable_tensor_names",
              [which](Graph& graph, Context& context) {
                Report report;
                Transaction transaction(graph);
                report.changes = detail::TensorNaming(graph, which).run(context);
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1::qonnx
