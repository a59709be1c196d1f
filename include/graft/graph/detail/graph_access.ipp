#pragma once
// Accessors that need the full definitions of Node, Value, Graph and Store.
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Node* Use::user() const { return owner_->proto_ ? owner_ : nullptr; }
GRAFT_INLINE std::size_t Use::index() const { return static_cast<std::size_t>(this - owner_->uses_); }
GRAFT_INLINE Graph& Use::graph() const { return *owner_->graph_; }

GRAFT_INLINE UseRange::Iterator& UseRange::Iterator::operator++() {
  use_ = next_;
  next_ = next_->next_;
  --left_;
  return *this;
}
GRAFT_INLINE void UserRange::Iterator::skip_graph_outputs() {
  while (use_ != UseRange::Iterator() && use_->is_graph_output()) ++use_;
}
GRAFT_INLINE UseRange Value::uses() const {
  return {first_use_, first_use_ ? first_use_->next_ : nullptr, use_count_};
}
GRAFT_INLINE bool Value::is_graph_output() const {
  for (const Use& use : uses())
    if (use.is_graph_output()) return true;
  return false;
}

GRAFT_INLINE void Value::link(Use& use) {
  use.value_ = this;
  if (first_use_) {
    use.next_ = first_use_;
    use.prev_ = first_use_->prev_;
    use.prev_->next_ = use.next_->prev_ = &use;
  } else {
    first_use_ = use.next_ = use.prev_ = &use;
  }
  ++use_count_;
}
GRAFT_INLINE void Value::unlink(Use& use) {
  if (--use_count_ == 0) {
    first_use_ = nullptr;
  } else {
    use.prev_->next_ = use.next_;
    use.next_->prev_ = use.prev_;
    if (first_use_ == &use) first_use_ = use.next_;
  }
}

GRAFT_INLINE const Value* Value::before_identity() const {
  const Node* const node = producer();
  return node != nullptr && node->is("Identity") ? node->input(0) : nullptr;
}
/// Whether a graph input may override the initializer.
GRAFT_INLINE bool Value::is_overridable() const { return is_graph_input() && graph_->store_->ir_version >= 4; }
GRAFT_INLINE Value::Source Value::constant_source() const {
  constexpr int short_chain = 32;  // a walk is faster than a lookup
  const Value* value = this;
  int steps = 0;
  for (const Value* next = before_identity(); next != nullptr && steps < short_chain; ++steps) {
    value = next;
    next = value->before_identity();
  }
  if (steps == short_chain) {
    value = &graph_->store_->identity_sources.find(*this, [](const Value& one) { return one.before_identity(); });
  }
  if (const Node* const node = value->producer(); node != nullptr) {
    return node->is("Constant") ? Source{nullptr, node} : Source{};
  }
  if (value->initializer() == nullptr || value->is_overridable()) return {};
  return {value->initializer(), nullptr};
}
GRAFT_INLINE bool Value::is_constant() const {
  const Source source = constant_source();
  return source.tensor != nullptr || source.constant_node != nullptr;
}
GRAFT_INLINE std::optional<Tensor> Value::constant() const {
  const Source source = constant_source();
  const auto read = [&](const onnx::TensorProto& tensor) -> std::optional<Tensor> {
    if (tensor.data_type() == static_cast<int>(DType::string)) return std::nullopt;
    try {
      return read_tensor(tensor, &graph_->store_->external);
    } catch (Error& error) {
      if (source.constant_node != nullptr) error.node(display_name(*source.constant_node)).field("value");
      error.file(graph_->store_->file);
      throw;
    }
  };
  if (source.tensor != nullptr) return read(*source.tensor);
  if (source.constant_node == nullptr) return std::nullopt;
  for (const onnx::AttributeProto& attribute : source.constant_node->proto().attribute()) {
    if (attribute.name() == "value") return read(attribute.t());
    if (attribute.name() == "value_float") return Tensor::scalar(attribute.f());
    if (attribute.name() == "value_int") return Tensor::scalar(attribute.i());
    if (attribute.name() == "value_floats")
      return Tensor::of<float>({attribute.floats_size()},
                               std::vector<float>(attribute.floats().begin(), attribute.floats().end()));
    if (attribute.name() == "value_ints")
      return Tensor::of<std::int64_t>({attribute.ints_size()},
                                      std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end()));
  }
  return std::nullopt;
}

GRAFT_INLINE DType Value::dtype() const {
  if (initializer() != nullptr && !is_overridable()) return static_cast<DType>(initializer()->data_type());
  if (type_ != nullptr && type_->has_tensor_type()) return static_cast<DType>(type_->tensor_type().elem_type());
  if (initializer() != nullptr) return static_cast<DType>(initializer()->data_type());
  return DType::undefined;
}
GRAFT_INLINE Shape Value::shape() const {
  if (initializer() != nullptr && !is_overridable()) return Shape(*initializer());
  if (type_ != nullptr && type_->has_tensor_type() && type_->tensor_type().has_shape()) return Shape(*type_);
  if (initializer() != nullptr) return Shape(*initializer());
  if (const Node* const node = producer(); node != nullptr && node->is("Constant"))
    if (const onnx::AttributeProto* const value = node->attribute("value")) return Shape(value->t());
  return {};
}

GRAFT_INLINE std::string_view Node::op_type() const { return graph_->store_->ops.name(op_).op_type; }
GRAFT_INLINE std::string_view Node::domain() const { return graph_->store_->ops.name(op_).domain; }
GRAFT_INLINE bool Node::is(std::string_view op) const { return op.ends_with(op_type()) && is(OpName::parse(op)); }
GRAFT_INLINE bool Node::is_any_of(std::span<const std::string_view> ops) const {
  return std::any_of(ops.begin(), ops.end(), [this](std::string_view op) { return is(op); });
}
GRAFT_INLINE bool Node::is(const OpName& op) const {
  return op_type() == op.op_type && domain() == canonical_domain(op.domain);
}
GRAFT_INLINE Use& Node::use(std::size_t i) const {
  if (i < input_count_) return uses_[i];
  if (proto_ == nullptr) throw Error("has no output " + std::to_string(i)).field(graph_->name());
  throw Error("has no input " + std::to_string(i)).node(erased() ? op_type() : display_name(*proto_));
}
GRAFT_INLINE Value& Node::output() const {
  if (output_count_ == 1) return *first_output();
  throw Error("has " + std::to_string(output_count_) + " outputs, not one").node(display_name(*proto_));
}
GRAFT_INLINE int Node::opset() const { return graph_->opset(domain()); }
GRAFT_INLINE const schema::Operator* Node::schema() const {
  return schema::version_at(schemas(), opset());
}
GRAFT_INLINE std::span<const schema::Operator> Node::schemas() const { return graph_->store_->versions_of(op_); }
GRAFT_INLINE const onnx::AttributeProto* Node::attribute(std::string_view name) const {
  for (const onnx::AttributeProto& attribute : proto_->attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}
GRAFT_INLINE void Node::read_attribute(const std::function<void()>& read) const {
  try {
    read();
  } catch (Error& error) {
    throw error.node(this->name().empty() ? op_type() : this->name()).file(graph_->store_->file);
  }
}
GRAFT_INLINE std::span<const Body> Node::bodies() const {
  if ((flags_ & bodies_flag) == 0) return {};
  return graph_->store_->bodies.find(this)->second;
}

GRAFT_INLINE Graph* Node::body(std::string_view attribute) const {
  for (const Body& body : bodies())
    if (body.attribute == attribute) return body.graph;
  return nullptr;
}
GRAFT_INLINE Node* Node::following() const {
  Node* node = next_;
  while (node->erased()) node = node->next_;
  return node;
}
GRAFT_INLINE Node* Node::next() const {
  Node* const node = following();
  return node->proto_ ? node : nullptr;
}
GRAFT_INLINE Node* Node::prev() const { return prev_->proto_ ? prev_ : nullptr; }

namespace detail {

GRAFT_INLINE Value* NameTable::find(std::string_view name, Hash hash) const {
  for (std::size_t i = home(hash); slots_[i].value != nullptr; i = next(i))
    if (slots_[i].hash == hash && slots_[i].value->name() == name) return slots_[i].value;
  return nullptr;
}
GRAFT_INLINE void NameTable::reserve(std::size_t count) {
  const std::size_t wanted = count + count / 2 + 1;
  if (wanted > slots_.size()) grow(std::max(wanted, size_ == 0 ? 0 : 2 * slots_.size()));
}
GRAFT_INLINE Value* NameTable::insert(Value& value) { return insert(value, hash(value.name())); }
GRAFT_INLINE Value* NameTable::insert(Value& value, Hash hash) {
  reserve(size_ + 1);
  std::size_t i = home(hash);
  for (; slots_[i].value != nullptr; i = next(i))
    if (slots_[i].hash == hash && slots_[i].value->name() == value.name()) return slots_[i].value;
  slots_[i] = {&value, hash};
  ++size_;
  return nullptr;
}
GRAFT_INLINE void NameTable::erase(const Value& value) {
  std::size_t hole = home(hash(value.name()));
  while (slots_[hole].value != &value) hole = next(hole);
  // Close the gap: an entry whose probe sequence runs through the hole moves into it.
  const auto distance = [this](std::size_t from, std::size_t to) {
    return to >= from ? to - from : to + slots_.size() - from;
  };
  for (std::size_t i = next(hole); slots_[i].value != nullptr; i = next(i)) {
    if (distance(home(slots_[i].hash), i) < distance(hole, i)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole].value = nullptr;
  --size_;
}
GRAFT_INLINE void NameTable::grow(std::size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.value == nullptr) continue;
    std::size_t i = home(slot.hash);
    while (slots_[i].value != nullptr) i = next(i);
    slots_[i] = slot;
  }
}

}  // namespace detail

GRAFT_INLINE Value* Graph::find(std::string_view name) const {
  const detail::NameTable::Hash hash = detail::NameTable::hash(name);  // hashed once: scopes may be nested deeply
  for (const Graph* scope = this; scope != nullptr; scope = scope->parent_)
    if (Value* const value = scope->names_.find(name, hash)) return value;
  return nullptr;
}

GRAFT_INLINE Node* Graph::find_node(std::string_view name) const {
  for (Node& node : nodes())
    if (node.name() == name) return &node;
  return nullptr;
}

GRAFT_INLINE std::string Graph::fresh_name(std::string_view hint) {
  const auto mark = hint.rfind("__");
  if (mark != std::string_view::npos && mark + 2 < hint.size() &&
      hint.find_first_not_of("0123456789", mark + 2) == std::string_view::npos)
    hint = hint.substr(0, mark);
  return std::string(hint) + "__" + std::to_string(++store_->suffix);
}

GRAFT_INLINE std::vector<Value*> Graph::initializers() const {
  std::vector<Value*> alive;
  alive.reserve(initializers_.size());
  for (Value* const value : initializers_)
    if (!value->erased()) alive.push_back(value);
  return alive;
}

}  // namespace graft::inline v1
