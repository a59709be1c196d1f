#pragma once
#include <algorithm>
#include <string>

#include <graft/config.hpp>
#include <graft/rewrite/detail/replacement.hpp>
#include <graft/rewrite/payload.hpp>

// Operators and operands of a replacement.

namespace graft::inline v1::detail {

GRAFT_INLINE Verdict Replacement::run() {
  Node* first = roots_.front();
  for (Node* const root : roots_)
    if (&root->graph() == &first->graph() && root->before(*first)) first = root;
  rewriter_.at(*first);
  const Verdict replaced = row(0).step == Step::outputs ? replace_outputs(0) : replace_root(0);
  return state_ ? replaced : state_;
}

/// Replaces one root: all of its outputs if the root itself is built again, else the output that the pattern matched.
GRAFT_INLINE Verdict Replacement::replace_root(std::size_t at) {
  Node& root = *roots_.front();
  Value* const result = value(at);
  if (!state_) return state_;
  std::vector<Value*> successors(root.output_count());
  if (row(at).step == Step::op && original(row(at)) == &root) {
    for (std::size_t i = 0; i < successors.size(); ++i) successors[i] = built_[at]->output(i);
  } else if (before_.nodes[0].out < successors.size()) {
    successors[before_.nodes[0].out] = result;
  }
  return rewriter_.replace(root, successors);
}

GRAFT_INLINE Verdict Replacement::replace_outputs(std::size_t at) {
  std::vector<Value*> results;
  for (std::size_t child = at + 1; child < row(at).end; child = row(child).end) results.push_back(value(child));
  if (!state_) return state_;
  if (roots_.size() == 1) return rewriter_.replace(*roots_.front(), results);
  std::size_t root_row = 0;
  for (std::size_t k = 0; k < std::min(roots_.size(), results.size()); ++k) {
    const std::size_t operator_row = k == 0 ? 0 : root_row + 1;
    const std::size_t out = before_.nodes[operator_row].out;
    if (results[k] != nullptr && out < roots_[k]->output_count()) {
      if (Verdict done = rewriter_.replace(*roots_[k]->output(out), *results[k]); !done) return done;
    }
    root_row = before_.nodes[root_row].end;
  }
  return Verdict::yes();
}

/// Appends the inputs of an operand, which may be any number.
GRAFT_INLINE void Replacement::operands(std::size_t at, std::vector<Value*>& into) {
  switch (row(at).step) {
    case Step::rest: {
      const Slot& values = slot(row(at).slot);
      const auto* const first = static_cast<Value* const*>(values.data);
      if (values.bound()) into.insert(into.end(), first, first + values.size);
      return;
    }
    case Step::each: {
      const std::size_t count = rounds(at);
      for (round_ = 0; round_ < count; ++round_) into.push_back(value(at + 1));
      return;
    }
    case Step::opt:
      if (is_bound(at + 1)) {
        operands(at + 1, into);
      } else {
        into.push_back(nullptr);
      }
      return;
    default: into.push_back(value(at));
  }
}

GRAFT_INLINE Value* Replacement::value(std::size_t at) {
  const PatternNode& here = row(at);
  switch (here.step) {
    case Step::none: return nullptr;
    case Step::value:
    case Step::constant: return captured(here);
    case Step::output: return output_of_node(here);
    case Step::computed:
    case Step::scalar:
    case Step::ints: return constant(at);
    case Step::folded: return folded(at);
    case Step::opt: return is_bound(at + 1) ? value(at + 1) : nullptr;
    case Step::op: break;
    default: return fail("the replacement has no single value here");
  }
  if (const auto chained = links(here)) return chain(at, *chained);
  Node* const made = node(at);
  return made == nullptr ? nullptr : made->output(here.out);
}

GRAFT_INLINE Value* Replacement::captured(const PatternNode& row) const {
  const Slot& held = slot(row.slot);
  if (!held.bound()) return nullptr;
  if (row.listed) return static_cast<Value* const*>(held.data)[round_];
  return static_cast<Value*>(const_cast<void*>(held.data));
}

/// An output of a captured node, or of a node that the replacement names.
GRAFT_INLINE Value* Replacement::output_of_node(const PatternNode& row) {
  if (!slot(row.slot).bound()) {
    for (std::size_t at = 0; at < after_.nodes.size(); ++at)
      if (this->row(at).step == Step::op && this->row(at).slot == row.slot) node(at);
  }
  if (!slot(row.slot).bound())
    return fail({"the replacement reads an output of '{name}', which was not bound", {}, {}, 0, name_of(row.slot)});
  const auto* const source = static_cast<const Node*>(slot(row.slot).data);
  Value* const output = source->output(row.out);
  if (output != nullptr) return output;
  return fail({"the replacement reads output {} of '{name}', which has none", {}, {static_cast<double>(row.out)}, 1,
               name_of(row.slot)});
}

/// The captured node that gives a row its attributes and name; nullptr if there is none.
GRAFT_INLINE const Node* Replacement::original(const PatternNode& row) const {
  if (row.like < 0 || !slot(row.like).bound()) return nullptr;
  const bool is_list = form_of(after_.captures[static_cast<std::size_t>(row.like)]) == Form::list;
  if (is_list) return static_cast<Node* const*>(slot(row.like).data)[round_];
  return static_cast<const Node*>(slot(row.like).data);
}

/// The nodes of a captured chain(...), if the row builds them again.
GRAFT_INLINE std::optional<std::span<Node* const>> Replacement::links(const PatternNode& row) const {
  if (row.like < 0 || !row.op.empty()) return std::nullopt;
  const auto is_chain = [&](const PatternNode& other) { return other.step == Step::chain && other.slot == row.like; };
  if (std::none_of(before_.nodes.begin(), before_.nodes.end(), is_chain)) return std::nullopt;
  const Slot& nodes = slot(row.like);
  return std::span(static_cast<Node* const*>(nodes.data), nodes.size);
}

GRAFT_INLINE Value* Replacement::chain(std::size_t at, std::span<Node* const> links) {
  std::vector<Value*> entry;
  for (std::size_t child = at + 1; child < row(at).end; child = row(child).end) operands(child, entry);
  if (entry.size() != 1) return fail("a rebuilt chain must have one operand");
  Value* result = entry.front();
  for (const Node* const link : links) {
    std::vector<Value*> inputs{result};
    for (std::size_t i = 1; i < link->input_count(); ++i) inputs.push_back(link->input(i));
    made_.push_back(&rewriter_.clone(*link, inputs));
    result = made_.back()->output(0);
  }
  return result;
}

GRAFT_INLINE std::size_t Replacement::output_count(const PatternNode& row) const {
  std::size_t count = row.out + std::size_t{1};
  for (const PatternNode& other : after_.nodes) {
    const bool reads_it = other.step == Step::output && row.slot >= 0 && other.slot == row.slot;
    if (reads_it) count = std::max(count, other.out + std::size_t{1});
  }
  return count;
}

GRAFT_INLINE Node* Replacement::node(std::size_t at) {
  const PatternNode& here = row(at);
  if (here.round < 0 && built_[at] != nullptr) return built_[at];
  if (std::find(building_.begin(), building_.end(), at) != building_.end())
    return fail("a node of the replacement reads its own output");
  building_.push_back(at);
  std::vector<Value*> inputs;
  for (std::size_t child = at + 1; child < here.end; child = row(child).end) operands(child, inputs);
  building_.pop_back();
  const Node* const source = original(here);
  if (here.like >= 0 && source == nullptr)
    return fail({"the replacement builds '{name}' again, which was not bound", {}, {}, 0, name_of(here.like)});
  const bool is_clone = source != nullptr && here.op.empty();

  onnx::NodeProto payload;
  if (source != nullptr) payload = payload_of(*source);
  if (!here.op.empty()) {
    const OpName name = OpName::parse(here.op);
    payload.set_op_type(std::string(name.op_type));
    payload.clear_domain();
    if (!name.domain.empty()) payload.set_domain(std::string(name.domain));
  }
  if (source == nullptr) payload.set_name(rewriter_.graph().fresh_name(payload.op_type()));
  write(payload, inputs, at);
  if (is_clone) keep_parameters(*source, inputs, at);
  if (!state_) return nullptr;

  const std::size_t outputs = is_clone ? source->output_count() : output_count(here);
  Node& made = rewriter_.node_from(std::move(payload), inputs, outputs, source);
  made_.push_back(&made);
  for (std::size_t i = 0; is_clone && i < outputs; ++i)
    if (source->output(i)->name().empty()) rewriter_.drop_output(*made.output(i));
  if (here.slot >= 0) {
    Slot& own = slots_[static_cast<std::size_t>(here.slot)];
    own.state = Slot::State::bound;
    own.data = &made;
  }
  return built_[at] = &made;
}

/// Whether all captures below opt(...) are bound.
GRAFT_INLINE bool Replacement::is_bound(std::size_t at) const {
  const auto holds = [&](std::int16_t which) { return which < 0 || slot(which).bound(); };
  for (std::size_t i = at; i < row(at).end; ++i) {
    const PatternNode& here = row(i);
    if (here.step == Step::opt) {
      i = here.end - std::size_t{1};
      continue;
    }
    if (!holds(here.step == Step::op ? here.like : here.slot)) return false;
    for (const PatternAttr& attr : attrs(i)) {
      if (attr.mode == AttrMode::capture && !attr.optional && !holds(attr.slot)) return false;
      if (attr.mode != AttrMode::computed) continue;
      for (const std::int64_t which : after_.words.subspan(attr.word0, attr.word_count))
        if (!holds(static_cast<std::int16_t>(which))) return false;
    }
  }
  return true;
}

/// The number of elements of the lists below an each(...).
GRAFT_INLINE std::size_t Replacement::rounds(std::size_t at) const {
  const auto is_list = [&](std::int16_t which) {
    return which >= 0 && form_of(after_.captures[static_cast<std::size_t>(which)]) == Form::list;
  };
  std::size_t count = 0;
  for (std::size_t i = at + 1; i < row(at).end; ++i) {
    if (row(i).listed) count = std::max(count, slot(row(i).slot).size);
    if (is_list(row(i).like) && !links(row(i))) count = std::max(count, slot(row(i).like).size);
    for (const PatternAttr& attr : attrs(i))
      if (attr.listed) count = std::max(count, slot(attr.slot).size);
  }
  return count;
}

}  // namespace graft::inline v1::detail
