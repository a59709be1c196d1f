#pragma once
#include <graft/graph/verify.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/verify_operator.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/local_functions.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

namespace detail {

/// The names of the enclosing scopes, and the nodes that hold them. Walking up from every value instead would take time
/// proportional to the square of the depth.
class OpenScopes {
 public:
  /// Enters a body of the node.
  void enter_body_of(const Node& node) { holders_.emplace(&node.graph(), &node); }
  void leave_body_of(const Node& node) { holders_.erase(&node.graph()); }
  /// The node in this enclosing scope that holds the next one; nullptr for other scopes.
  const Node* holder_in(const Graph& around) const {
    const auto found = holders_.find(&around);
    return found == holders_.end() ? nullptr : found->second;
  }

  /// Defines a name until undefine(). Returns false if an enclosing scope has it.
  bool define(std::string_view name) { return names_.insert(name).second; }
  bool has(std::string_view name) const { return !names_.empty() && names_.count(name) != 0; }
  void undefine(std::string_view name) { names_.erase(name); }

 private:
  std::unordered_map<const Graph*, const Node*> holders_;
  std::unordered_set<std::string_view> names_;
};

class Verifier {
 public:
  explicit Verifier(const Model& model) : functions_(model) {}

  void run(Graph& graph) {
    if (graph.opset() > schema::newest_opset)
      report(graph, "imports opset " + std::to_string(graph.opset()) + "; the newest known opset is " +
                        std::to_string(schema::newest_opset));
    // A body is verified within its enclosing scopes.
    for (const Graph* around = &graph; around->owner() != nullptr; around = around->parent()) {
      scopes_.enter_body_of(*around->owner());
      for_each_name(*around->parent(), [this](std::string_view name) { scopes_.define(name); });
    }
    struct Scope {
      Graph* graph;
      const Node* holder;
      bool taken;         // false in a branch that never runs: its values need not fit
      bool done = false;  // with its bodies
      std::vector<std::string_view> names{};
    };
    std::vector<Scope> open{{&graph, nullptr, true}};
    while (!open.empty()) {
      if (open.back().done) {
        for (const std::string_view name : open.back().names) scopes_.undefine(name);
        if (open.back().holder != nullptr) scopes_.leave_body_of(*open.back().holder);
        open.pop_back();
        continue;
      }
      const std::size_t at = open.size() - 1;
      if (open[at].holder != nullptr) scopes_.enter_body_of(*open[at].holder);
      open[at].done = true;
      open[at].names = verify_scope(*open[at].graph, open[at].taken);
      for (Node& node : open[at].graph->nodes())
        for (const Body& body : node.bodies())
          open.push_back({body.graph, &node, open[at].taken && may_be_taken(node, body)});
      if (open.size() > at + 1) define_names(*open[at].graph, open[at].names);
    }
  }

  void run(Model& model) {
    if (model.graph().output_count() == 0) report(model.graph(), "has no outputs");
    run(model.graph());
    for (Graph* const function : model.functions()) run(*function);
    verify_function_names(model);
    verify_calls(model);
  }

  std::vector<Problem> take() { return std::move(problems_); }

 private:
  void report(const Node& node, std::string text) { problems_.push_back({&node.graph(), &node, std::move(text)}); }
  void report(const Graph& graph, std::string text) { problems_.push_back({&graph, nullptr, std::move(text)}); }

  bool may_be_taken(const Node& node, const Body& body) {
    if (!node.is("If") || node.input(0) == nullptr) return true;
    try {
      const std::optional<Ints> condition = inference_.known().ints(*node.input(0));
      if (!condition || condition->size() != 1) return true;
      return body.attribute == (condition->front() != 0 ? "then_branch" : "else_branch");
    } catch (const Error&) {
      return true;  // the constant's own check reports that it cannot be read
    }
  }

  /// Checks that no two functions share domain, name and overload.
  void verify_function_names(Model& model) {
    for (const Graph* const function : model.functions())
      if (functions_.called_as(*function) != function)
        report(*function, "has the domain, name and overload of another function");
  }

  struct Call {
    const Node* node;
    Graph* function;
  };
  std::vector<Call> calls_of(const Graph& function) const {
    std::vector<Call> calls;
    const auto add = [&](const Node& node, Graph& called) { calls.push_back({&node, &called}); };
    functions_.for_each_call(function, add);
    return calls;
  }

  /// Checks that no function calls itself, directly or through others.
  void verify_calls(Model& model) {
    struct Visit {
      Graph* function;
      std::vector<Call> calls;
      std::size_t next = 0;
    };
    std::unordered_map<const Graph*, bool> done;  // false while its calls are followed
    for (Graph* const first : model.functions()) {
      if (!done.emplace(first, false).second) continue;
      std::vector<Visit> open{{first, calls_of(*first)}};
      while (!open.empty()) {
        Visit& visit = open.back();
        if (visit.next == visit.calls.size()) {
          done[visit.function] = true;
          open.pop_back();
          continue;
        }
        const Call call = visit.calls[visit.next++];
        const auto [state, fresh] = done.emplace(call.function, false);
        if (fresh) {
          open.push_back({call.function, calls_of(*call.function)});
        } else if (!state->second) {
          report(*call.node, "calls the function '" + std::string(call.function->name()) +
                                 "' while it is running: functions cannot call themselves");
        }
      }
    }
  }

  template <class F>
  static void for_each_name(const Graph& scope, const F& f) {
    for (const Value* const input : scope.inputs()) f(input->name());
    for (const Value* const value : scope.initializers()) f(value->name());
    for_each_sparse_name(scope, f);
    for (const Node& node : scope.nodes())
      for (const Value& output : node.outputs()) f(output.name());
  }

  template <class F>
  static void for_each_sparse_name(const Graph& scope, const F& f) {
    if (scope.proto() == nullptr) return;
    for (const onnx::SparseTensorProto& tensor : scope.proto()->sparse_initializer()) f(tensor.values().name());
  }

  /// Defines the names of the scope for its bodies, which must not define them again.
  void define_names(const Graph& scope, std::vector<std::string_view>& defined) {
    for_each_name(scope, [&](std::string_view name) {
      if (!name.empty() && scopes_.define(name)) defined.push_back(name);
    });
  }

  /// Returns the names that it has defined in scopes_: those that the scope cannot find itself.
  std::vector<std::string_view> verify_scope(Graph& scope, bool taken) {
    std::vector<std::string_view> defined;
    const auto define = [&](const Value& value, auto&& place) {
      if (value.name().empty()) return;
      if (scope.find(value.name()) != &value) report(place, "defines " + quoted(value) + " a second time");
      else if (scopes_.has(value.name()))
        report(place, "defines " + quoted(value) + ", which an enclosing scope defines");
    };
    for (const Value* const input : scope.inputs()) {
      if (input->name().empty()) report(scope, "an input has no name");
      define(*input, scope);
    }
    for (const Value* const value : scope.initializers()) {
      define(*value, scope);
      verify_contents(scope, *value->initializer());
    }
    for_each_sparse_name(scope, [&](std::string_view name) {
      if (scopes_.define(name)) defined.push_back(name);
    });
    std::unordered_set<std::string_view> node_names;
    node_names.reserve(scope.nodes().size());
    for (Node& node : scope.nodes()) {
      if (!node.name().empty() && !node_names.insert(node.name()).second) report(node, "has the name of another node");
      for (const Value& output : node.outputs()) define(output, node);
      for (const Value* const input : node.inputs()) {
        if (input != nullptr) verify_read(node, *input);
      }
      const bool is_call = functions_.called_by(node) != nullptr;
      verify_operator(node, is_call, [&](std::string text) { report(node, std::move(text)); });
      if (taken) verify_types(node);
    }
    for (std::size_t i = 0; i < scope.output_count(); ++i) {
      const Value* const output = scope.output(i);
      if (output == nullptr || output->erased()) {
        report(scope, "output " + std::to_string(i) + " is not a value");
      } else if (output->name().empty()) {
        report(scope, "output " + std::to_string(i) + " has no name");
      } else if (!visible(*output, scope)) {
        report(scope, "output " + quoted(*output) + " is of another scope");
      }
    }
    return defined;
  }

  void verify_contents(const Graph& scope, const onnx::TensorProto& tensor) {
    if (tensor.data_type() == static_cast<int>(DType::string)) return;
    try {
      static_cast<void>(read_tensor(tensor, scope.model().external_data()));
    } catch (const Error& error) {
      report(scope, (error.field().empty() ? "" : error.field() + ": ") + error.message());
    }
  }

  static std::string quoted(const Value& value) { return "'" + std::string(value.name()) + "'"; }

  bool visible(const Value& value, const Graph& scope) const {
    return &value.graph() == &scope || scopes_.holder_in(value.graph()) != nullptr;
  }

  /// Checks that an input is defined in the scope or around it, and before its reader or the node that holds the scope.
  void verify_read(const Node& node, const Value& input) {
    const Node* const producer = input.producer();
    if (input.erased() || (producer != nullptr && producer->erased())) {
      report(node, "reads " + quoted(input) + ", which has been erased");
      return;
    }
    if (input.name().empty()) report(node, "reads an omitted output");
    const Node* const reader = &input.graph() == &node.graph() ? &node : scopes_.holder_in(input.graph());
    if (reader == nullptr) {
      report(node, "reads " + quoted(input) + " of another scope");
    } else if (producer != nullptr && !producer->before(*reader)) {
      report(node, "reads " + quoted(input) + " before it is computed");
    }
  }

  void verify_types(Node& node) {
    try {
      const Verdict verdict = inference_.check(node);
      if (!verdict) report(node, to_string(verdict.reason()));
    } catch (const Error& error) {
      report(node, (error.field().empty() ? "" : error.field() + ": ") + error.message());
    }
  }

  LocalFunctions functions_;
  OpenScopes scopes_;
  std::vector<Problem> problems_;
  Inference inference_;
};

}  // namespace detail

GRAFT_INLINE std::vector<Problem> verify(Graph& graph) {
  detail::Verifier verifier(graph.model());
  verifier.run(graph);
  return verifier.take();
}

GRAFT_INLINE std::vector<Problem> verify(Model& model) {
  detail::Verifier verifier(model);
  verifier.run(model);
  return verifier.take();
}

}  // namespace graft::inline v1
