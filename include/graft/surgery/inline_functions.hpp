#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/local_functions.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

class FunctionInliner {
 public:
  explicit FunctionInliner(Model& model, std::size_t max_nodes = std::size_t{1} << 22);
  /// Inlines these functions only, in all graphs and functions that call them.
  FunctionInliner(Model& model, std::unordered_set<const Graph*> chosen);

  /// Returns the number of replaced calls.
  std::size_t run();

 private:
  static constexpr std::size_t deepest = 64;

  Graph* function_of(const Node& node) const;

  /// The number of nodes after inlining the calls in root; if root is a function (depth > 0), its own nodes count, too.
  /// Visits each function once. Throws Error for a function that calls itself.
  std::size_t size_of(const Graph& root, std::size_t depth = 0);

  /// Adds imports of the called functions to the model, and raises older versions of the main domain.
  void agree_on_opsets();

  /// is_unread: adds new domains to the model even if the function has no operators of them.
  void agree_on_domains(const Graph& function, bool is_unread);

  /// Whether the function has operators of the domain, calls aside, with another meaning in the version of the model.
  /// False if the model does not import the domain.
  bool is_read_otherwise(const Graph& function, const std::string& domain) const;

  /// Inserts the body after the call, so that the loop visits inner calls next. Results get the names of the call's
  /// outputs.
  void expand(Node& call, const Graph& function);

  /// Gives values and nodes in bodies names that are unused around the call.
  static void name_inner_values(const Model& source, Graph& scope);

  void hand_over(Node& call, std::size_t i, Value* result, Node* end);

  Error refusal(const Node& call, const std::string& why) const {
    return Error("a call of a function " + why).node(display_name(call)).file(model_.file());
  }

  static constexpr std::size_t being_counted = ~std::size_t{0};
  Model& model_;
  std::size_t max_nodes_;
  LocalFunctions functions_;
  std::unordered_set<const Graph*> chosen_;
  std::unordered_map<const Graph*, std::size_t> sizes_;  // of called functions
  std::unordered_set<const Value*> handed_out_;          // results of the current call
};

}  // namespace detail

/// Inlines all local functions (ONNX IR, Functions), in bodies, too, and removes them with unused imports of their
/// domains. Runtimes do the same before they fuse. Values keep the names of the calls' outputs; inner values get fresh
/// names. The model then imports the newest version of the main domain that the model or a function imports. A function
/// hides an operator of its name.
///
/// Throws Error, with the model as it was, if a function calls itself, if inlining makes over 2^22 nodes, or if a
/// function imports another version of another domain. If the model has training_info, the functions stay, because it
/// may call them.
Pass inline_functions();

}  // namespace graft::inline v1
