#pragma once
#include <algorithm>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/detail/check_operator.hpp>
#include <graft/rewrite/detail/reads.hpp>
#include <graft/rewrite/detail/type_clash.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>

// Edits of existing uses, inputs, attributes, nodes and signatures.

namespace graft::inline v1 {

/// Makes `by` the graph output that `old` is, under the same name.
GRAFT_INLINE Verdict Rewriter::hand_over_outputs(Value& old, Value& by) {
  if (!old.is_graph_output()) return Verdict::yes();
  if (old.is_graph_input()) return fail("a graph input that is an output as well cannot be replaced");
  Graph& scope = old.graph();
  Value* successor = &by;
  if (by.producer() == nullptr || &by.graph() != &scope || by.is_graph_output()) {
    successor = inserted(scope.insert("Identity", {&by}, 1)).output(0);
  }
  detail::hand_over_outputs(old, *successor);
  return Verdict::yes();
}

/// Merges the known type of `old` into the type of its replacement `by`, unless a tensor or the signature determines
/// that type.
GRAFT_INLINE void Rewriter::keep_type(const Value& old, Value& by) {
  if (by.initializer() != nullptr || by.is_graph_input() || intent_.shapes) return;
  if (const auto joint = detail::joint_type(old, by)) set_type(by, *joint);
}

GRAFT_INLINE Verdict Rewriter::replace(Value& old, Value& by) {
  if (&old == &by) return Verdict::yes();
  begin();
  if (by.erased()) return fail("the replacement is erased");
  if (!detail::is_visible(by, old.graph())) return fail("the replacement is not visible there");
  if (Verdict fits = detail::check_types(old, by, intent_); !fits) return fail(fits.reason());
  for (const Use& use : old.uses())
    if (Node* const user = use.user()) edits_.changed.push_back(user);
  keep_type(old, by);
  if (Verdict handed = hand_over_outputs(old, by); !handed) return handed;
  if (!old.graph().replace_uses(old, by)) return fail("the replacement would close a cycle");
  free(&old);
  const std::vector<Node*>& made = edits_.inserted;  // usually the last of them makes the replacement
  if (old.producer() != nullptr && std::find(made.rbegin(), made.rend(), by.producer()) != made.rend())
    replaced_.emplace_back(&old, &by);
  return Verdict::yes();
}

GRAFT_INLINE Verdict Rewriter::replace(Node& old, std::span<Value* const> successors) {
  begin();
  for (std::size_t i = 0; i < old.output_count(); ++i) {
    if (old.output(i)->use_count() == 0) continue;
    Value* const successor = i < successors.size() ? successors[i] : nullptr;
    if (successor == nullptr)
      return fail(Reason{"a used output would be left without a successor", "output", {static_cast<double>(i)}, 1});
    if (Verdict done = replace(*old.output(i), *successor); !done) return done;
  }
  erase(old);
  return state_;
}

GRAFT_INLINE void Rewriter::set_input(Use& use, Value* value) {
  begin();
  if (use.value() == value) return;
  if (use.is_graph_output()) {
    static_cast<void>(fail("a graph output is not an input of a node"));
    return;
  }
  Value* const old = use.value();
  if (value != nullptr && value->erased()) {
    static_cast<void>(fail("an input would read a value that is erased"));
  } else if (value != nullptr && !detail::is_visible(*value, use.graph())) {
    static_cast<void>(fail("an input would read a value that is not visible there"));
  } else if (!use.graph().set_input(use, value)) {
    static_cast<void>(fail("the new input would close a cycle"));
  } else {
    free(old);
    edits_.changed.push_back(use.user());
  }
}

GRAFT_INLINE void Rewriter::remove_input(Use& use) {
  Node& user = *use.user();
  set_input(use, nullptr);
  std::size_t count = user.input_count();
  while (count > 0 && user.input(count - 1) == nullptr) --count;
  if (count != user.input_count()) user.graph().resize_inputs(user, count);
}

GRAFT_INLINE void Rewriter::drop_output(Value& output) {
  begin();
  if (output.use_count() != 0 || output.producer() == nullptr) {
    static_cast<void>(fail("only an unused output of a node can be dropped"));
    return;
  }
  output.graph().omit(output);
  edits_.changed.push_back(output.producer());
}

GRAFT_INLINE bool Rewriter::begin_attribute(const Node& node, std::string_view attribute) {
  begin();
  if (node.body(attribute) == nullptr) return true;
  static_cast<void>(fail("an attribute holds a body: edit the body as a graph, or erase the node"));
  return false;
}

GRAFT_INLINE void Rewriter::set_attribute(Node& node, const Attribute& attribute) {
  if (!begin_attribute(node, attribute.proto().name())) return;
  node.graph().set_attribute(node, attribute);
  edits_.changed.push_back(&node);
  if (Verdict fits = detail::check_attribute_type(node, attribute.proto()); !fits)
    static_cast<void>(fail(fits.reason()));
}

GRAFT_INLINE void Rewriter::remove_attribute(Node& node, std::string_view name) {
  if (!begin_attribute(node, name)) return;
  node.graph().remove_attribute(node, name);
  edits_.changed.push_back(&node);
}

GRAFT_INLINE void Rewriter::rename(Node& node, std::string_view name) {
  begin();
  if (&node.graph() == &graph_->model().graph()) renamed_nodes_.emplace_back(node.name(), name);
  node.graph().rename(node, name);
}

GRAFT_INLINE void Rewriter::set_type(Value& value, const onnx::TypeProto& type) {
  begin();
  value.graph().set_type(value, type);
  for (const Use& use : value.uses())
    if (Node* const user = use.user()) edits_.changed.push_back(user);
}

GRAFT_INLINE void Rewriter::erase(Node& node) {
  begin();
  if (node.erased()) return;
  for (const Value& output : node.outputs()) {
    if (output.use_count() == 0) continue;
    static_cast<void>(fail("a node is erased whose output is used"));
    return;
  }
  detail::for_each_read(node, [this](Value& value) { free(&value); });
  node.graph().erase(node);
}

GRAFT_INLINE void Rewriter::erase(Value& initializer) {
  begin();
  if (initializer.erased()) return;
  if (initializer.initializer() == nullptr || initializer.use_count() != 0) {
    static_cast<void>(fail("only an unused initializer can be erased"));
    return;
  }
  initializer.graph().erase(initializer);
}

GRAFT_INLINE void Rewriter::erase_unused(std::span<Node* const> nodes) {
  const auto is_used = [](const Value& output) { return output.use_count() != 0; };
  for (bool again = true; again;) {
    again = false;
    for (Node* const node : nodes) {
      const auto outputs = node->outputs();
      if (node->erased() || std::any_of(outputs.begin(), outputs.end(), is_used)) continue;
      erase(*node);
      again = true;
    }
  }
}

GRAFT_INLINE Value& Rewriter::insert_after(Value& value, std::string_view op, std::initializer_list<Value*> more,
                                           const Attributes& attributes) {
  std::vector<Value*> inputs{&value};
  inputs.insert(inputs.end(), more);
  Value& output = this->op(op, inputs, attributes);
  Node& node = *output.producer();
  std::vector<Use*> others;
  for (Use& use : value.uses())
    if (use.user() != &node && !use.is_graph_output()) others.push_back(&use);
  static_cast<void>(hand_over_outputs(value, output));
  for (Use* const use : others) set_input(*use, &output);
  return output;
}

GRAFT_INLINE Value& Rewriter::insert_before(Use& use, std::string_view op, std::initializer_list<Value*> more,
                                            const Attributes& attributes) {
  std::vector<Value*> inputs{use.value()};
  inputs.insert(inputs.end(), more);
  Value& output = this->op(op, inputs, attributes);
  set_input(use, &output);
  return output;
}

GRAFT_INLINE Verdict Rewriter::change_signature() {
  begin();
  if (intent_.signature) return Verdict::yes();
  return fail("the rewrite changes the graph's signature but does not declare it");
}

GRAFT_INLINE void Rewriter::rename(Value& value, std::string_view name) {
  begin();
  if (value.name() == name) return;
  if ((value.is_graph_input() || value.is_graph_output()) && !change_signature()) return;
  if (name.empty() || value.graph().find(name) != nullptr) {
    static_cast<void>(fail("a value's new name is empty or taken"));
    return;
  }
  if (&value.graph() == &graph_->model().graph()) renamed_.emplace_back(value.name(), name);
  value.graph().rename(value, name);
}

GRAFT_INLINE void Rewriter::add_output(Value& value) {
  if (change_signature()) value.graph().add_output(value);
}

GRAFT_INLINE void Rewriter::remove_output(std::size_t i) {
  if (!change_signature()) return;
  free(graph_->output(i));
  graph_->remove_output(i);
}

GRAFT_INLINE void Rewriter::remove_input(Value& input) {
  if (!change_signature()) return;
  if (input.initializer() == nullptr && input.use_count() != 0) {
    static_cast<void>(fail("a used graph input cannot be removed"));
    return;
  }
  input.graph().remove_input(input);
}

GRAFT_INLINE void Rewriter::reorder_inputs(std::span<Value* const> order) {
  if (change_signature()) graph_->reorder_inputs(order);
}

}  // namespace graft::inline v1
