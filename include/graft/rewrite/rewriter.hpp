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

/// Edits a graph. An edit is visible at once. accept() keeps all edits since the last accept(). decline(), an accept()
/// that finds something wrong, and the destructor undo all of them. An edit that is not possible is remembered, and
/// accept() refuses.
///
/// New nodes stand before the node last given to at(), or behind the last of their inputs, whichever is later.
class Rewriter {
 public:
  Rewriter(Graph& graph, Context& context, const Intent& intent = {})
      : graph_(&graph), context_(&context), intent_(intent) {}
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;
  /// Undoes edits that were not accepted, and writes this to the Context's log.
  ~Rewriter();

  Graph& graph() const { return *graph_; }
  Context& context() const { return *context_; }
  /// What runs a node on constants; nullptr if the Context has nothing.
  const NodeExecutor* executor() const { return context_->executor ? &context_->executor : nullptr; }

  /// What the coming rewrites may change.
  void intend(const Intent& intent) { intent_ = intent; }
  /// Where new nodes go: before this one, in its scope.
  void at(Node& node);
  /// To the end of a scope.
  void at_end(Graph& graph);

  /// The only output of a new node. op is "Conv" or "domain::Op"; an input may be nullptr (absent).
  Value& op(std::string_view op, std::span<Value* const> inputs, const Attributes& attributes = {}) {
    return *node(op, inputs, 1, attributes).output(0);
  }
  Value& op(std::string_view op, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return this->op(op, std::span(inputs.begin(), inputs.size()), attributes);
  }
  Node& node(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
             const Attributes& attributes = {}, std::string_view name_hint = {});
  /// The same operator over other inputs, with attributes, name, metadata, unknown fields, bodies and all outputs.
  /// The clone's name becomes a fresh one if accept() finds the original still in place.
  Node& clone(const Node& original, std::span<Value* const> inputs);
  Node& clone(const Node& original, std::initializer_list<Value*> inputs) {
    return clone(original, std::span(inputs.begin(), inputs.size()));
  }
  /// A node with this payload, of which the names of inputs and outputs do not count.
  /// original: the node whose name it bears, as for clone().
  Node& node_from(onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs,
                  const Node* original = nullptr);
  /// A fresh constant. Equal ones of one scope share an initializer.
  Value& constant(Tensor tensor, std::string_view hint = {});
  /// The same: i64 of rank 1, as for axes or a target shape.
  Value& ints(const Ints& values, std::string_view hint = "ints") { return constant(Tensor::list(values), hint); }

  /// All uses of `old` become uses of `by`. If `old` is a graph output, its name goes to `by`, or to an Identity of it
  /// where `by` is an input, an initializer, another output, or of another scope. The name of an inner value that the
  /// accept() drops goes to a `by` that is new.
  Verdict replace(Value& old, Value& by);
  /// Each used output by its successor (nullptr: none, which only an unused one may have); then the node is erased.
  Verdict replace(Node& old, std::span<Value* const> successors);

  void set_input(Use& use, Value* value);
  /// The input becomes absent; trailing absent ones are dropped.
  void remove_input(Use& use);
  /// The node omits an output that is unused.
  void drop_output(Value& output);
  /// Not an attribute that holds a body: accept() refuses.
  void set_attribute(Node& node, const Attribute& attribute);
  void remove_attribute(Node& node, std::string_view name);
  void rename(Node& node, std::string_view name);
  void set_type(Value& value, const onnx::TypeProto& type);
  /// A node whose outputs are unused.
  void erase(Node& node);
  /// An unused initializer.
  void erase(Value& initializer);
  /// Erases those of the nodes that nothing uses any more, users first.
  void erase_unused(std::span<Node* const> nodes);

  /// op(value, more...), which all other uses of value read from then on, graph outputs among them.
  Value& insert_after(Value& value, std::string_view op, std::initializer_list<Value*> more = {},
                      const Attributes& attributes = {});
  /// op(what the use reads, more...), which the use reads from then on.
  Value& insert_before(Use& use, std::string_view op, std::initializer_list<Value*> more = {},
                       const Attributes& attributes = {});

  /// Puts the nodes of a body without inputs in the place of the node that holds it: a branch of an If.
  Verdict inline_body(Node& node, const Body& body);
  Verdict inline_body(Node& node, std::string_view attribute);
  /// The body that is to take the place of the node; nullptr if there is none, and the node stays.
  using TakenBody = const Graph* (*)(const Node& node);
  /// As inline_body() with the body that `taken` returns for the node. The same goes for the nodes in this body, and so
  /// on inwards, as far as bodies have no inputs and types fit. Each node is copied once, however deep bodies are
  /// nested.
  Verdict inline_bodies(Node& node, TakenBody taken);
  /// Makes nodes of one scope a local function, called "Name" or "domain::Name" (without a domain: graft), and a node
  /// that calls it takes their place. What they read from elsewhere are its inputs, what is used elsewhere its outputs.
  /// Throws Error for no nodes.
  Node& outline(std::span<Node* const> nodes, std::string_view name);

  /// The name of a graph input or output belongs to the signature; that of any other value is free. accept() carries
  /// the Context's facts about the value to its new name, and so it does for nodes. Facts do not follow if a
  /// Transaction around the Rewriter undoes the accept().
  void rename(Value& value, std::string_view name);
  void add_output(Value& value);
  void remove_output(std::size_t i);
  void remove_input(Value& input);
  void reorder_inputs(std::span<Value* const> order);

  /// What accept() would return.
  const Verdict& problem() const { return state_; }
  /// Keeps the edits since the last accept(), or undoes them and returns the reason. Removes nodes and initializers
  /// that lost their last use by them.
  Verdict accept();
  [[deprecated("use accept()")]] Verdict commit() { return accept(); }
  /// Takes it back.
  void rollback();
  /// Takes it back, and returns the reason as a refusal.
  Verdict decline(Reason reason);
  Verdict decline(std::string_view static_text) { return decline(Reason{static_text, {}, {}, 0}); }

  /// The known elements of small integer tensors, for all rewrites of one rewriter: computed again after edits.
  KnownContents& known_contents() { return known_contents_; }
  /// Call it before the first edit of a rewrite that leaves all contents as they are, such as one that puts a constant
  /// where they are known: known elements outlast its accept().
  void keep_known_contents() { keeps_contents_ = known_contents_.is_current(graph_->model()); }

  /// Of the current rewrite; after accept(), of the accepted one.
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
  Verdict state_ = Verdict::yes();  // the first thing that could not be done
  Edits edits_;
  std::vector<std::pair<const Node*, Node*>> clones_;
  std::vector<std::pair<const Value*, Value*>> replaced_;                     // and by what that is new
  std::vector<std::pair<std::string, std::string>> renamed_, renamed_nodes_;  // of the main graph
  detail::ConstantPool constants_;
  Inference inference_{InferOptions{.custom = context_->shape_functions, .name_unknown = false}};
  KnownContents known_contents_;
  bool keeps_contents_ = false;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/rewriter_bodies.ipp>
#include <graft/rewrite/detail/rewriter_edits.ipp>
#include <graft/rewrite/rewriter.ipp>
#endif
