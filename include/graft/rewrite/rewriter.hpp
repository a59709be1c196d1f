#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/known_contents.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/detail/constant_pool.hpp>
#include <graft/rewrite/edits.hpp>
#include <graft/rewrite/intent.hpp>

namespace graft::inline v1 {

/// Edits a graph. An edit is visible at once. accept() keeps all edits since the last accept(). decline() and the
/// destructor undo all of them, and so does an accept() that finds a fault. An impossible edit is recorded, and
/// accept() refuses.
///
/// A new node goes before the node last given to at(), or after its last input, whichever is later.
class Rewriter {
 public:
  Rewriter(Graph& graph, Context& context, const Intent& intent = {})
      : graph_(&graph), context_(&context), intent_(intent) {}
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;
  /// Undoes edits that were not accepted, and reports that to the Context's log.
  ~Rewriter();

  Graph& graph() const { return *graph_; }
  Context& context() const { return *context_; }
  /// The executor for constants; nullptr if the Context has none.
  const NodeExecutor* executor() const { return context_->executor ? &context_->executor : nullptr; }

  /// Sets the permitted changes of the next rewrites.
  void intend(const Intent& intent) { intent_ = intent; }
  /// Inserts new nodes before this one, in its scope.
  void at(Node& node);
  /// Inserts new nodes at the end of a scope.
  void at_end(Graph& graph);

  /// Inserts a node and returns its only output. op is "Conv" or "domain::Op"; an input may be nullptr (absent).
  Value& op(std::string_view op, std::span<Value* const> inputs, const Attributes& attributes = {}) {
    return *node(op, inputs, 1, attributes).output(0);
  }
  Value& op(std::string_view op, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return this->op(op, std::span(inputs.begin(), inputs.size()), attributes);
  }
  Node& node(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
             const Attributes& attributes = {}, std::string_view name_hint = {});
  /// Copies a node over other inputs, with attributes, name, metadata, unknown fields, bodies and all outputs. The
  /// clone gets a fresh name if accept() finds the original still in place.
  Node& clone(const Node& original, std::span<Value* const> inputs);
  Node& clone(const Node& original, std::initializer_list<Value*> inputs) {
    return clone(original, std::span(inputs.begin(), inputs.size()));
  }
  /// Inserts a node with this payload, whose input and output names are ignored. original: the source of the node's
  /// name, as in clone().
  Node& node_from(onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs,
                  const Node* original = nullptr);
  /// A new constant in the current scope. Equal constants of one scope share an initializer.
  Value& constant(Tensor tensor, std::string_view hint = {});
  /// A constant of i64 and rank 1, such as axes or a target shape.
  Value& ints(const Ints& values, std::string_view hint = "ints") { return constant(Tensor::list(values), hint); }

  /// Turns all uses of `old` into uses of `by`. If `old` is a graph output, its name moves to `by`. If `by` is an
  /// input, an initializer, another output or of another scope, the name moves to an Identity of `by`. If `old` is
  /// an inner value that accept() removes, its name moves to `by`, provided that `by` is new.
  Verdict replace(Value& old, Value& by);
  /// Replaces each used output by its successor, then erases the node. The successor of an unused output may be
  /// nullptr.
  Verdict replace(Node& old, std::span<Value* const> successors);

  void set_input(Use& use, Value* value);
  /// Makes the input absent, and drops trailing absent inputs.
  void remove_input(Use& use);
  /// Omits an unused output of its node.
  void drop_output(Value& output);
  /// The attribute must not hold a body, else accept() refuses.
  void set_attribute(Node& node, const Attribute& attribute);
  void remove_attribute(Node& node, std::string_view name);
  void rename(Node& node, std::string_view name);
  void set_type(Value& value, const onnx::TypeProto& type);
  /// Erases a node, whose outputs must be unused.
  void erase(Node& node);
  /// Erases an unused initializer.
  void erase(Value& initializer);
  /// Erases the nodes in this list that nothing uses, users first.
  void erase_unused(std::span<Node* const> nodes);

  /// Inserts op(value, more...). All other uses of value read the result from then on, graph outputs included.
  Value& insert_after(Value& value, std::string_view op, std::initializer_list<Value*> more = {},
                      const Attributes& attributes = {});
  /// Inserts op(value of the use, more...). The use reads the result from then on.
  Value& insert_before(Use& use, std::string_view op, std::initializer_list<Value*> more = {},
                       const Attributes& attributes = {});

  /// Replaces a node by the nodes of one of its bodies, such as a branch of an If. The body must not have inputs.
  Verdict inline_body(Node& node, const Body& body);
  Verdict inline_body(Node& node, std::string_view attribute);
  /// Returns the body that is to replace the node; nullptr if the node stays.
  using TakenBody = const Graph* (*)(const Node& node);
  /// Inlines the body that `taken` returns for the node, as inline_body() does. Then it does the same for the nodes of
  /// that body, inwards, as long as bodies have no inputs and types fit. Each node is copied only once, at any nesting
  /// depth.
  Verdict inline_bodies(Node& node, TakenBody taken);
  /// Replaces nodes of one scope by a call of a new local function, "Name" or "domain::Name" (default domain: graft).
  /// The values that enter the nodes become its inputs, and the values used elsewhere its outputs. Throws Error if
  /// there are no nodes.
  Node& outline(std::span<Node* const> nodes, std::string_view name);

  /// Renames a value. The name of a graph input or output belongs to the signature. accept() moves the Context's facts
  /// about the value to the new name, and does the same for nodes. Facts do not follow if an outer Transaction undoes
  /// the accept().
  void rename(Value& value, std::string_view name);
  void add_output(Value& value);
  void remove_output(std::size_t i);
  void remove_input(Value& input);
  void reorder_inputs(std::span<Value* const> order);

  /// The verdict that accept() would return now.
  const Verdict& problem() const { return state_; }
  /// Keeps the edits since the last accept(), or undoes them and returns the reason. Removes nodes and initializers
  /// that these edits left without uses.
  Verdict accept();
  [[deprecated("use accept()")]] Verdict commit() { return accept(); }
  /// Undoes the edits since the last accept().
  void rollback();
  /// Undoes the edits since the last accept(), and returns the reason as a refusal.
  Verdict decline(Reason reason);
  Verdict decline(std::string_view static_text) { return decline(Reason{static_text, {}, {}, 0}); }

  /// The known elements of small integer tensors, shared by all rewrites of this rewriter. They are recomputed after
  /// edits.
  KnownContents& known_contents() { return known_contents_; }
  /// Keeps known elements over the next accept(). Call it before the first edit of a rewrite that preserves all
  /// contents, such as one that replaces known elements by a constant.
  void keep_known_contents() { keeps_contents_ = known_contents_.is_current(graph_->model()); }

  /// The edits of the current rewrite; after accept(), of the accepted one.
  const Edits& edits() const { return edits_; }

 private:
  void begin();
  Verdict fail(const Reason& reason);
  Verdict fail(std::string_view static_text) { return fail(Reason{static_text, {}, {}, 0}); }
  Node* place_for(std::span<Value* const> inputs);
  bool make_visible(Value& value);
  Node& inserted(Node& node);
  void free(Value* value) {
    if (value != nullptr) edits_.freed.push_back(value);
  }
  void keep_type(const Value& old, Value& by);
  Verdict hand_over_outputs(Value& old, Value& by);
  Verdict inline_body(Node& node, const Graph& body, TakenBody taken);
  bool begin_attribute(const Node& node, std::string_view attribute);
  Verdict change_signature();
  void drop_unused();
  void hand_over_names();
  void rename_clones();

  Graph* graph_;
  Context* context_;
  Intent intent_;
  Node* place_ = nullptr;
  std::optional<Transaction> transaction_;
  Verdict state_ = Verdict::yes();  // the first edit that failed
  Edits edits_;
  std::vector<std::pair<const Node*, Node*>> clones_;
  std::vector<std::pair<const Value*, Value*>> replaced_;                     // with the new value that replaced it
  std::vector<std::pair<std::string, std::string>> renamed_, renamed_nodes_;  // in the main graph
  detail::ConstantPool constants_;
  Inference inference_{InferOptions{.operators = context_->operators, .name_unknown = false}};
  KnownContents known_contents_;
  bool keeps_contents_ = false;
};

}  // namespace graft::inline v1
