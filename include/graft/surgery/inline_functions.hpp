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
  explicit FunctionInliner(Model& model, std::size_t most_nodes = std::size_t{1} << 22);
  /// Of these functions only; in the others calls are replaced, too.
  FunctionInliner(Model& model, std::unordered_set<const Graph*> chosen);

  /// How many calls were replaced.
  std::size_t run();

 private:
  static constexpr std::size_t deepest = 64;

  Graph* function_of(const Node& node) const;

  /// To how many nodes the calls amount, those of its own included where it is a function (depth > 0). Each function is
  /// looked at once. Throws Error for one that calls itself.
  std::size_t size_of(const Graph& root, std::size_t depth = 0);

  /// The model imports what the functions that are called import. In the main domain older ones are raised.
  void agree_on_opsets();

  /// is_unread: the model imports domains that are new to it although the function has no operators of them.
  void agree_on_domains(const Graph& function, bool is_unread);

  /// Whether it has operators of the domain, calls aside, that are not the same in the version of the model, if that
  /// has one.
  bool is_read_otherwise(const Graph& function, const std::string& domain) const;

  /// Behind the call, so that calls within are met next. What the call's outputs were called the results are called.
  void expand(Node& call, const Graph& function);

  /// Values and nodes in bodies get names that nothing around the call has.
  static void name_inner_values(const Model& source, Graph& scope);

  void hand_over(Node& call, std::size_t i, Value* result, Node* end);

  Error refusal(const Node& call, const std::string& why) const {
    return Error("a call of a function " + why).node(display_name(call)).file(model_.file());
  }

  static constexpr std::size_t being_counted = ~std::size_t{0};
  Model& model_;
  std::size_t most_nodes_;
  LocalFunctions functions_;
  std::unordered_set<const Graph*> chosen_;
  std::unordered_map<const Graph*, std::size_t> sizes_;  // of the functions that are called
  std::unordered_set<const Value*> handed_out_;          // results of the call that is being replaced
};

}  // namespace detail

/// The pass that writes the bodies of local functions where these are called (ONNX IR, Functions), in bodies too, and
/// takes the functions away, with the imports of their domains that nothing needs any more: runtimes do the same before
/// they fuse. Values keep the names of the calls' outputs, those inside get fresh ones. Model and functions then share
/// the newest version of the main domain that one of them imports. A function hides an operator of its name. Throws
/// Error, with the model as it was, for functions that call themselves, that amount to over 2^22 nodes, or import
/// another version of another domain. With training_info, which may call functions too, they stay.
Pass inline_functions();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/inline_functions.ipp>
#endif
