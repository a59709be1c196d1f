#pragma once
// Accessors that need the whole of Node, Value, Graph and Store.
#include <graft/graph/detail/store.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

namespace detail {
/// What a person calls a node: its name, or its operator and first output.
inline std::string describe(const onnx::NodeProto& node) {
  if (!node.name().empty()) return node.name();
  return node.op_type() + (node.output_size() > 0 ? "(" + node.output(0) + ")" : "");
}
}  // namespace detail

inline Node* Use::user() const { return owner_->proto_ ? owner_ : nullptr; }
inline std::size_t Use::index() const { return static_cast<std::size_t>(this - owner_->uses_); }
inline Graph& Use::graph() const { return *owner_->graph_; }

inline UseRange::Iterator& UseRange::Iterator::operator++() {
  use_ = next_;
  next_ = next_->next_;
  --left_;
  return *this;
}
inline void UserRange::Iterator::skip_graph_outputs() {
  while (use_ != UseRange::Iterator() && use_->is_graph_output()) ++use_;
}
inline UseRange Value::uses() const {
  return {first_use_, first_use_ ? first_use_->next_ : nullptr, use_count_};
}
inline bool Value::is_graph_output() const {
  for (const Use& use : uses())
    if (use.is_graph_output()) return true;
  return false;
}

inline void Value::link(Use& use) {
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
inline void Value::unlink(Use& use) {
  if (--use_count_ == 0) {
    first_use_ = nullptr;
  } else {
    use.prev_->next_ = use.next_;
    use.next_->prev_ = use.prev_;
    if (first_use_ == &use) first_use_ = use.next_;
  }
}

inline const Value* Value::before_identity() const {
  const Node* const node = producer();
  return node != nullptr && node->is("Identity") ? node->input(0) : nullptr;
}
inline Value::Source Value::constant_source() const {
  constexpr int short_chain = 32;  // is walked sooner than looked up
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
  if (value->initializer() == nullptr) return {};
  if (value->is_graph_input() && value->graph_->store_->ir_version >= 4) return {};
  return {value->initializer(), nullptr};
}
inline bool Value::is_constant() const {
  const Source source = constant_source();
  return source.tensor != nullptr || source.constant_node != nullptr;
}
inline std::optional<Tensor> Value::constant() const {
  const Source source = constant_source();
  const auto read = [&](const onnx::TensorProto& tensor) -> std::optional<Tensor> {
    if (tensor.data_type() == static_cast<int>(DType::string)) return std::nullopt;
    try {
      return read_tensor(tensor, graph_->store_->external ? &*graph_->store_->external : nullptr);
    } catch (Error& error) {
      if (source.constant_node != nullptr) error.node(detail::describe(source.constant_node->proto())).field("value");
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
      return Tensor::of<float>({attribute.floats_size()}, {attribute.floats().begin(), attribute.floats().end()});
    if (attribute.name() == "value_ints")
      return Tensor::of<std::int64_t>({attribute.ints_size()}, {attribute.ints().begin(), attribute.ints().end()});
  }
  return std::nullopt;
}

inline DType Value::dtype() const {
  if (type_ != nullptr && type_->has_tensor_type()) return static_cast<DType>(type_->tensor_type().elem_type());
  if (initializer() != nullptr) return static_cast<DType>(initializer()->data_type());
  return DType::undefined;
}
inline Shape Value::shape() const {
  if (type_ != nullptr && type_->has_tensor_type() && type_->tensor_type().has_shape()) return Shape(*type_);
  if (initializer() != nullptr) return Shape(*initializer());
  if (const Node* const node = producer(); node != nullptr && node->is("Constant"))
    if (const onnx::AttributeProto* const value = node->attribute("value")) return Shape(value->t());
  return {};
}

inline std::string_view Node::op_type() const { return graph_->store_->ops.name(op_).op_type; }
inline std::string_view Node::domain() const { return graph_->store_->ops.name(op_).domain; }
inline bool Node::is(std::string_view op_type, std::string_view domain) const {
  return this->op_type() == op_type && this->domain() == canonical_domain(domain);
}
inline Use& Node::use(std::size_t i) const {
  if (i < input_count_) return uses_[i];
  if (proto_ == nullptr) throw Error("has no output " + std::to_string(i)).field(graph_->name());
  throw Error("has no input " + std::to_string(i)).node(erased() ? op_type() : detail::describe(*proto_));
}
inline Value& Node::output() const {
  if (output_count_ == 1) return *first_output();
  throw Error("has " + std::to_string(output_count_) + " outputs, not one").node(detail::describe(*proto_));
}
inline int Node::opset() const { return graph_->opset(domain()); }
inline const schema::Operator* Node::schema() const { return schema::find(domain(), op_type(), opset()); }
inline const onnx::AttributeProto* Node::attribute(std::string_view name) const {
  for (const onnx::AttributeProto& attribute : proto_->attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}
template <class T>
std::optional<T> Node::attr(std::string_view name) const {
  if (const onnx::AttributeProto* const given = attribute(name)) {
    try {
      return read<T>(*given);
    } catch (Error& error) {
      throw error.node(this->name().empty() ? op_type() : this->name()).file(graph_->store_->file);
    }
  }
  if (const schema::Operator* const facts = schema())
    if (const schema::Attribute* const known = facts->attribute(name)) return known->template default_as<T>();
  return std::nullopt;
}
inline std::span<const Body> Node::bodies() const {
  if ((flags_ & bodies_flag) == 0) return {};
  return graph_->store_->bodies.find(this)->second;
}

inline Graph* Node::body(std::string_view attribute) const {
  for (const Body& body : bodies())
    if (body.attribute == attribute) return body.graph;
  return nullptr;
}
inline Node* Node::following() const {
  Node* node = next_;
  while (node->erased()) node = node->next_;
  return node;
}
inline Node* Node::next() const {
  Node* const node = following();
  return node->proto_ ? node : nullptr;
}
inline Node* Node::prev() const { return prev_->proto_ ? prev_ : nullptr; }

namespace detail {

inline Value* NameTable::find(std::string_view name, Hash hash) const {
  for (std::size_t i = home(hash); slots_[i].value != nullptr; i = next(i))
    if (slots_[i].hash == hash && slots_[i].value->name() == name) return slots_[i].value;
  return nullptr;
}
inline void NameTable::reserve(std::size_t count) {
  const std::size_t wanted = count + count / 2 + 1;
  if (wanted > slots_.size()) grow(std::max(wanted, size_ == 0 ? 0 : 2 * slots_.size()));
}
inline Value* NameTable::insert(Value& value) { return insert(value, hash(value.name())); }
inline Value* NameTable::insert(Value& value, Hash hash) {
  reserve(size_ + 1);
  std::size_t i = home(hash);
  for (; slots_[i].value != nullptr; i = next(i))
    if (slots_[i].hash == hash && slots_[i].value->name() == value.name()) return slots_[i].value;
  slots_[i] = {&value, hash};
  ++size_;
  return nullptr;
}
inline void NameTable::erase(const Value& value) {
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
inline void NameTable::grow(std::size_t slots) {
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
}  // namespace graft::inline v1
