#pragma once
#include <graft/surgery/functions.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/local_functions.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/remove_with_imports.hpp>
#include <graft/surgery/inline_functions.hpp>

namespace graft::inline v1 {
namespace detail {

using FunctionSet = std::unordered_set<const Graph*>;

/// Whether the nodes of one function have the same meaning in another.
inline bool imports_alike(const Graph& inner, const Graph& outer) {
  for (const onnx::OperatorSetIdProto& import : inner.function_proto()->opset_import()) {
    const auto& others = outer.function_proto()->opset_import();
    const bool is_there = std::any_of(others.begin(), others.end(), [&](const onnx::OperatorSetIdProto& other) {
      return canonical_domain(other.domain()) == canonical_domain(import.domain()) &&
             other.version() == import.version();
    });
    if (!is_there) return false;
  }
  return true;
}

/// Removes functions from the chosen ones that cannot be inlined into a remaining function, directly or through other
/// chosen ones.
inline void keep_what_differs(Model& model, const LocalFunctions& functions, FunctionSet& chosen, Report& report) {
  std::unordered_map<const Graph*, std::vector<const Graph*>> called;
  std::vector<const Graph*> staying;
  for (const Graph* const function : model.functions()) {
    std::vector<const Graph*>& inside = called[function];
    FunctionSet met;
    functions.for_each_call(*function, [&](const Node&, const Graph& inner) {
      if (met.insert(&inner).second) inside.push_back(&inner);
    });
    if (!chosen.contains(function)) staying.push_back(function);
  }
  for (std::size_t i = 0; i < staying.size(); ++i) {
    const Graph& outer = *staying[i];
    std::vector<const Graph*> written{&outer};
    FunctionSet met;
    for (std::size_t k = 0; k < written.size(); ++k) {
      for (const Graph* const inner : called[written[k]]) {
        if (!chosen.contains(inner) || !met.insert(inner).second) continue;
        if (imports_alike(*inner, outer)) {
          written.push_back(inner);
          continue;
        }
        chosen.erase(inner);
        staying.push_back(inner);
        report.notes.push_back("left the function '" + std::string(inner->name()) + "': '" + std::string(outer.name()) +
                               "' calls it and imports other versions");
      }
    }
  }
}

inline Report inline_chosen(Graph& graph, FunctionSet chosen, const LocalFunctions& functions) {
  Report report;
  Model& model = graph.model();
  keep_what_differs(model, functions, chosen, report);
  if (chosen.empty()) return report;
  std::vector<Graph*> gone;
  const bool may_be_trained = model.proto().training_info_size() != 0;  // training_info may call functions
  for (Graph* const function : model.functions())
    if (chosen.contains(function) && !may_be_trained) gone.push_back(function);
  Transaction transaction(graph);
  report.changes = FunctionInliner(model, std::move(chosen)).run() + gone.size();
  remove_with_imports(model, gone);
  transaction.keep();
  return report;
}

/// The sizes of functions after inlining the small ones that they call.
class SmallFunctions {
 public:
  SmallFunctions(const LocalFunctions& functions, std::size_t max_nodes)
      : functions_(functions), max_nodes_(std::min(max_nodes, std::size_t{1} << 22)) {}

  bool is_small(const Graph& function) { return size_of(function, 0) <= max_nodes_; }

 private:
  static constexpr std::size_t too_many = ~std::size_t{0}, being_counted = too_many - 1;

  /// too_many for a function that calls itself, directly or through small ones.
  std::size_t size_of(const Graph& function, std::size_t depth) {
    constexpr std::size_t deepest = 64;
    const auto [known, is_new] = sizes_.try_emplace(&function, being_counted);
    if (!is_new) return known->second;
    std::size_t size = depth == deepest ? too_many : 0;
    std::vector<const Graph*> scopes{&function};
    for (std::size_t i = 0; i < scopes.size() && size <= max_nodes_; ++i) {
      for (const Node& node : scopes[i]->nodes()) {
        const Graph* const called = functions_.called_by(node);
        const std::size_t inside = called != nullptr ? size_of(*called, depth + 1) : 1;
        size = inside == being_counted ? too_many : size + (inside <= max_nodes_ ? inside : 1);
        for (const Body& body : node.bodies()) scopes.push_back(body.graph);
        if (size > max_nodes_) break;
      }
    }
    return sizes_[&function] = size;
  }

  const LocalFunctions& functions_;
  std::size_t max_nodes_;
  std::unordered_map<const Graph*, std::size_t> sizes_;
};

inline bool uses_all_outputs(const Node& call, const Graph& function) {
  const auto outputs = call.outputs();
  return outputs.size() == function.output_count() &&
         std::all_of(outputs.begin(), outputs.end(), [](const Value& output) { return output.is_used(); });
}

}  // namespace detail

GRAFT_INLINE Pass inline_small_functions(std::size_t max_nodes) {
  return pass("inline_small_functions",
              [max_nodes](Graph& graph, Context&) {
                const LocalFunctions functions(graph.model());
                detail::SmallFunctions small(functions, max_nodes);
                detail::FunctionSet chosen;
                for (const Graph* const function : graph.model().functions())
                  if (small.is_small(*function)) chosen.insert(function);
                return detail::inline_chosen(graph, std::move(chosen), functions);
              })
      .preserves_all();
}

GRAFT_INLINE Pass inline_functions_with_unused_outputs() {
  return pass("inline_functions_with_unused_outputs",
              [](Graph& graph, Context&) {
                Model& model = graph.model();
                const LocalFunctions functions(model);
                detail::FunctionSet chosen;
                std::vector<const Graph*> scopes(model.functions().begin(), model.functions().end());
                scopes.push_back(&model.graph());
                for (const Graph* const scope : scopes) {
                  functions.for_each_call(*scope, [&](const Node& call, const Graph& function) {
                    if (!detail::uses_all_outputs(call, function)) chosen.insert(&function);
                  });
                }
                return detail::inline_chosen(graph, std::move(chosen), functions);
              })
      .preserves_all();
}

GRAFT_INLINE Pass remove_unused_functions() {
  return pass("remove_unused_functions",
              [](Graph& graph, Context&) {
                Report report;
                Model& model = graph.model();
                if (model.functions().empty()) return report;
                if (model.proto().training_info_size() != 0) {
                  report.notes.push_back("left the functions: training_info may call them");
                  return report;
                }
                const LocalFunctions functions(model);
                std::unordered_set<const Graph*> called;
                std::vector<const Graph*> open{&model.graph()};
                for (std::size_t i = 0; i < open.size(); ++i) {
                  functions.for_each_call(*open[i], [&](const Node&, const Graph& function) {
                    if (called.insert(&function).second) open.push_back(&function);
                  });
                }
                std::vector<Graph*> unused;
                for (Graph* const function : model.functions())
                  if (!called.contains(function)) unused.push_back(function);
                report.changes = unused.size();
                detail::remove_with_imports(model, unused);
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
