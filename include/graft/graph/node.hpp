#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <graft/graph/attribute.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// A subgraph body of a node: the name of its attribute, and its scope.
struct Body {
  std::string_view attribute;
  Graph* graph = nullptr;
};

class InputRange;

/// A node of the view. Its payload (attributes, doc string, unknown fields) remains the original NodeProto.
class Node {
 public:
  Node(const Node&) = delete;  // a Node lives in its graph: hold it as Node&, const auto& or Node*
  Node& operator=(const Node&) = delete;  // a Node lives in its graph: hold it as Node&, const auto& or Node*

  OpId op() const { return op_; }
  std::string_view op_type() const;
  /// The canonical domain: "" for the main domain.
  std::string_view domain() const;
  /// Whether the node has this operator: is("Conv"), is("com.microsoft::Gelu").
  bool is(std::string_view op) const;
  bool is(const OpName& op) const;
  /// Whether the node has one of these operators.
  bool is_any_of(std::span<const std::string_view> ops) const;
  bool is_any_of(std::initializer_list<std::string_view> ops) const {
    return is_any_of(std::span(ops.begin(), ops.size()));
  }
  /// The version of the node's domain that its graph imports; 0 if it is not imported.
  int opset() const;
  /// The schema of the operator at that version; nullptr if neither graft nor the model's operators() have one.
  const schema::Operator* schema() const;
  /// Its facts at all versions, in ascending order.
  std::span<const schema::Operator> schemas() const;
  std::string_view name() const { return proto_->name(); }
  Graph& graph() const;

  std::size_t input_count() const { return input_count_; }
  /// Input i. nullptr if the optional input is absent ("") or i is beyond the end.
  Value* input(std::size_t i) const { return i < input_count_ ? uses_[i].value_ : nullptr; }
  /// The use of input i. Throws Error beyond the end.
  Use& use(std::size_t i) const;
  InputRange inputs() const;
  std::size_t output_count() const { return output_count_; }
  /// Output i; nullptr beyond the end. An omitted output is a value without a name.
  Value* output(std::size_t i) const { return i < output_count_ ? first_output() + i : nullptr; }
  /// The only output. Throws Error if the node has another number of outputs.
  Value& output() const;
  std::span<Value> outputs() const { return {first_output(), output_count_}; }

  /// The payload. Its input and output names are those of the last commit.
  const onnx::NodeProto& proto() const { return *proto_; }
  /// The attribute in the payload; nullptr if absent, even if it has a default.
  const onnx::AttributeProto* attribute(std::string_view name) const;
  /// The attribute, or its default at this node's operator version; nullopt if there is neither.
  /// Throws Error with the node and the attribute if the attribute has another type.
  template <class T>
  std::optional<T> attr(std::string_view name) const;

  std::span<const Body> bodies() const;
  /// The body in the attribute; nullptr if it holds none.
  Graph* body(std::string_view attribute) const;

  /// The next node in topological order within the scope; nullptr at the end.
  Node* next() const;
  Node* prev() const;
  bool before(const Node& other) const { return key_ < other.key_; }
  bool erased() const { return (flags_ & erased_flag) != 0; }

 private:
  /// Calls read(). An Error that it throws gets the node and the file.
  void read_attribute(const std::function<void()>& read) const;

  friend class Graph;
  friend class Model;
  friend class Use;
  friend class Value;
  friend class detail::Undo;
  static constexpr std::uint32_t erased_flag = 1, own_payload_flag = 2, rewired_flag = 4, bodies_flag = 8;

  Node() = default;
  Node* following() const;
  /// The pool places the outputs directly behind their node.
  Value* first_output() const { return reinterpret_cast<Value*>(const_cast<Node*>(this) + 1); }

  onnx::NodeProto* proto_ = nullptr;  // nullptr: the sentinel of a scope, whose inputs are the graph outputs
  Node* prev_ = nullptr;
  Node* next_ = nullptr;
  std::uint64_t key_ = 0;
  Use* uses_ = nullptr;
  Graph* graph_ = nullptr;
  OpId op_ = OpId::none;
  std::uint32_t input_count_ = 0;
  std::uint32_t output_count_ = 0;
  std::uint32_t flags_ = 0;
};

/// The name of a node in messages and reports: its own name, else its operator and first output, as in "Conv(y)".
std::string display_name(const Node& node);

/// The inputs of a node in order; nullptr for an absent input.
class InputRange {
 public:
  class Iterator {
   public:
    using value_type = Value*;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(const Use* use) : use_(use) {}
    Value* operator*() const { return use_->value(); }
    Iterator& operator++();
    Iterator operator++(int) { return Iterator(use_++); }
    bool operator==(const Iterator& other) const { return use_ == other.use_; }

   private:
    const Use* use_ = nullptr;
  };

  InputRange(const Use* first, std::size_t count) : first_(first), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(first_ + count_); }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Value* front() const { return first_[0].value(); }
  Value* back() const { return first_[count_ - 1].value(); }
  Value* operator[](std::size_t i) const { return first_[i].value(); }

 private:
  const Use* first_;
  std::size_t count_;
};

template <class T>
std::optional<T> Node::attr(std::string_view name) const {
  if (const onnx::AttributeProto* const given = attribute(name)) {
    std::optional<T> value;
    read_attribute([&] { value = read<T>(*given); });
    return value;
  }
  if (const schema::Operator* const facts = schema())
    if (const schema::Attribute* const known = facts->attribute(name)) return known->template default_as<T>();
  return std::nullopt;
}

}  // namespace graft::inline v1
