#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

class Model;

namespace detail {
class Journal;
struct Store;
class Undo;
}

/// The nodes of a scope in topological order. The current node may be erased while iterating, and a node inserted
/// behind it is visited. size() is the number of nodes when the range was made.
class NodeRange {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(Node* node) : node_(node) {}
    Node& operator*() const { return *node_; }
    Node* operator->() const { return node_; }
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator& other) const { return node_ == other.node_; }

   private:
    Node* node_ = nullptr;
  };

  NodeRange(Node* first, std::size_t count) : first_(first), count_(count) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return {}; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Node& front() const { return *first_; }

 private:
  Node* first_;
  std::size_t count_;
};

/// One scope of a model as a DAG: the main graph, a subgraph body, or a local function. Nodes, values and uses have
/// stable addresses for the lifetime of the model. The cost of an edit depends on its operands, not on the graph. An
/// open Transaction that rolls back undoes it. An edit throws Error, and changes nothing, for an argument that was
/// erased or belongs to another model. The same holds for a value that the reader cannot see, and for a position that
/// does not exist.
class Graph {
 public:
  Graph(detail::Store& store, onnx::GraphProto& proto, Graph* parent, Node* owner);
  Graph(detail::Store& store, onnx::FunctionProto& proto);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Model& model() const;
  /// The enclosing scope, and the node that holds this body. nullptr for the main graph and for functions.
  Graph* parent() const { return parent_; }
  Node* owner() const { return owner_; }
  /// The number of nodes that hold this body, one inside the other: 0 for the main graph and for functions.
  std::size_t depth() const { return depth_; }
  /// False for a body if its node or an enclosing node was erased. False for a removed function and the bodies in it.
  bool reachable() const { return !detached_ && !root_->dropped_; }
  bool is_function() const { return function_proto_ != nullptr; }
  std::string_view name() const;
  /// The payload as of the last commit; nullptr for a function.
  const onnx::GraphProto* proto() const { return graph_proto_; }
  /// The payload of a function as of the last commit; nullptr for other scopes.
  const onnx::FunctionProto* function_proto() const { return function_proto_; }
  /// The imported version of the domain; 0 if it is not imported.
  int opset(std::string_view domain = "") const;

  NodeRange nodes() const { return {first_node(), node_count_}; }
  Node* first_node() const { return end_.next(); }
  Node* last_node() const { return end_.prev(); }

  std::span<Value* const> inputs() const { return inputs_; }
  std::size_t output_count() const { return end_.input_count(); }
  Value* output(std::size_t i) const { return end_.input(i); }
  InputRange outputs() const { return end_.inputs(); }
  /// The use that makes a value output i.
  Use& output_use(std::size_t i) const { return end_.use(i); }
  /// The dense initializers in order.
  std::vector<Value*> initializers() const;

  /// Bytes of the scope's own tables, without its nodes and values.
  std::size_t view_bytes() const;

  /// Finds a value by name in this scope or the nearest enclosing one; nullptr if there is none.
  Value* find(std::string_view name) const;
  /// The first node of that name in this scope; nullptr if there is none. Node names are not indexed: the call visits
  /// every node.
  Node* find_node(std::string_view name) const;
  /// Returns hint if the name is free in the whole model, else hint__N.
  std::string fresh_name(std::string_view hint);

  /// Inserts a node of op ("Conv", "domain::Op") before `before` (nullptr: at the end). An input may be nullptr
  /// (absent); trailing absent inputs are dropped. Every input must be visible at that position. Outputs get fresh
  /// names from the operator or the hint.
  Node& insert(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
               const Attributes& attributes = {}, Node* before = nullptr, std::string_view name_hint = {});
  Node& insert(std::string_view op, std::initializer_list<Value*> inputs, std::size_t outputs = 1,
               const Attributes& attributes = {}, Node* before = nullptr, std::string_view name_hint = {});
  /// Inserts a node with this payload. Its input and output names are replaced, and its bodies join the view.
  Node& insert(onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs, Node* before = nullptr);

  Value& add_initializer(Tensor tensor, std::string_view hint);
  /// Adds an initializer. The tensor gets a fresh name if its own is empty or taken.
  Value& add_initializer(onnx::TensorProto tensor);
  /// Replaces the contents of an initializer for all its users.
  void set_initializer(Value& value, Tensor tensor);
  Value& add_input(std::string_view name, const onnx::TypeProto& type);
  /// Appends value to the outputs of this graph. Throws Error if it has no name.
  void add_output(Value& value);

  /// Rewires one input (nullptr: absent). Returns false and changes nothing if that would close a cycle.
  [[nodiscard]] bool set_input(Use& use, Value* value);
  [[nodiscard]] bool set_input(Node& node, std::size_t i, Value* value);
  /// Appends absent inputs or drops trailing inputs.
  void resize_inputs(Node& node, std::size_t count);
  /// Replaces output i. The output takes the value's name; call rename() to keep the signature.
  void set_output(std::size_t i, Value& value);
  void remove_output(std::size_t i);
  /// Removes a graph input. An input with a default becomes a plain, constant initializer. Any other must be unused.
  void remove_input(Value& input);
  /// order: the same inputs in the new order.
  void reorder_inputs(std::span<Value* const> order);
  /// Turns uses of one value, in all scopes, into uses of another; graph outputs stay. Returns false and changes
  /// nothing if that would close a cycle.
  [[nodiscard]] bool replace_uses(Value& from, Value& to);

  /// Throws Error if the name is taken, or means another value in a body that reads this one.
  void rename(Value& value, std::string_view name);
  /// Drops the name of an unused node output: the node then omits it.
  void omit(Value& output);
  /// Sets the known type of a value in the view only; it is not written. declare_type() also writes it as value_info,
  /// if it has a dtype. An empty type clears both.
  void set_type(Value& value, const onnx::TypeProto& type);
  void set_type(Value& value, onnx::TypeProto&& type);
  void declare_type(Value& value, const onnx::TypeProto& type);
  void rename(Node& node, std::string_view name);
  /// The payload for writing. Its first edit copies it, so that rollback and the owner of a viewed proto keep the old
  /// one. Only set_op() may change the operator.
  onnx::NodeProto& edit(Node& node);
  /// These throw Error for an attribute that holds a body.
  void set_attribute(Node& node, const Attribute& attribute);
  void remove_attribute(Node& node, std::string_view name);
  void set_op(Node& node, std::string_view op);

  /// The values that quantization_annotation names. An annotation is dropped with any of its values.
  std::unordered_set<const Value*> annotated() const { return {annotated_.begin(), annotated_.end()}; }

  /// Erases a node. Its outputs must be unused.
  void erase(Node& node);
  /// Erases an unused initializer. If it is a graph input as well, the input stays; remove_input() removes both.
  void erase(Value& initializer);

  /// Restores topological order for a new edge: moves producer and its ancestors before user. Returns false on a cycle.
  [[nodiscard]] bool order(Node& producer, Node& user);

 private:
  friend class Inference;
  friend class Model;
  friend class Node;
  friend class Use;
  friend class Value;
  friend class Transaction;
  friend struct detail::Store;
  friend class detail::Undo;

  google::protobuf::RepeatedPtrField<onnx::NodeProto>& node_field() const;
  std::string& intern(std::string text) const;
  detail::Journal& journal() const;

  Use* new_uses(Node& owner, std::size_t count);
  Value* new_values(std::size_t count);
  Value* make_values(void* place, std::size_t count);
  Node& new_node(onnx::NodeProto& payload, std::size_t inputs, std::size_t outputs);
  void link_before(Node& node, Node& next);
  void unlink(Node& node);
  void relabel_around(Node& node);
  void attach(Node& node, Node& next);
  void detach(Node& node);
  void relink(Use& use, Value* value);
  void declare(Value& value);
  void declare(std::span<Value* const> values);
  [[noreturn]] void refuse_second(const Value& value, const Value& first) const;
  void give_name(Value& value, const std::string* name);
  void check_alive(const Value& value) const;
  void check_alive(const Node& node) const;
  void check_own(const Value& value) const;
  void check_own(const Node& node) const;
  void check_use(const Use& use) const;
  void check_output(std::size_t i) const;
  void check_read(const Value& value, const Use& use) const;
  std::string why_unreadable(const Value& value) const;
  bool is_captured(std::string_view name) const;
  void check_insertion(const onnx::NodeProto& payload, std::span<Value* const> inputs, const Node* before) const;
  void record_signature();
  void touch(bool& changed);
  void touch_name(Value& value);
  void adopt_uses(Node& node, Use* uses, std::size_t count);
  void own_type(Value& value);
  void share_type(Value& value, const Value& other);
  void add_bodies(Node& node);

  void read_values();
  void read_links();
  void read_annotations();
  bool read_link(Use& use, std::string_view name, detail::NameTable::Hash hash);
  void sort_nodes();
  Node* user_in_scope(const Node& inner) const;
  template <class F>
  void for_each_body(const Node& node, F&& f) const;
  template <class F>
  void for_each_capture(const Node& node, F&& f) const;
  template <class F>
  void for_each_dependency(const Node& node, F&& f) const;

  void commit();
  void write_names();
  void commit_nodes();
  void commit_initializers();
  void list_initializers();
  void commit_signature();
  void commit_infos();
  void commit_annotations();

  detail::Store* store_;
  onnx::GraphProto* graph_proto_ = nullptr;
  onnx::FunctionProto* function_proto_ = nullptr;
  Graph* parent_ = nullptr;
  Node* owner_ = nullptr;
  Graph* root_;  // the main graph or function that this scope is or lies in
  std::uint32_t depth_ = 0;
  bool detached_ = false;  // this body, or an enclosing one, belongs to an erased node
  Node end_;  // sentinel of the circular list; its inputs are the graph's outputs
  std::size_t node_count_ = 0;
  std::vector<Value*> inputs_;
  std::vector<onnx::ValueInfoProto*> input_infos_, output_infos_;  // nullptr in a function
  std::vector<Value*> initializers_;  // erased ones stay until commit
  std::vector<std::pair<const Value*, onnx::ValueInfoProto*>> listed_;  // written as inputs, which the IR requires
  std::vector<Value*> annotated_;
  detail::NameTable names_;
  bool unsorted_ = false;
  bool dropped_ = false;  // the function was removed
  bool nodes_changed_ = false, wires_changed_ = false, initializers_changed_ = false, infos_changed_ = false,
       signature_changed_ = false;
};

}  // namespace graft::inline v1
