#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

namespace detail {
struct Store;
class Undo;
}

class Graph;
class Inference;
class Node;
class UseRange;
class UserRange;
class Value;

/// One read of a value: an input of a node, or an output of a graph. An intrusive entry in the value's list of uses.
class Use {
 public:
  Use(const Use&) = delete;  // a Use lives in its graph: hold it as Use&, const auto& or Use*
  Use& operator=(const Use&) = delete;  // a Use lives in its graph: hold it as Use&, const auto& or Use*

  Value* value() const { return value_; }
  /// The reading node; nullptr for a graph output.
  Node* user() const;
  /// The reading scope. Inside a subgraph body it differs from the value's scope.
  Graph& graph() const;
  /// Index among the inputs of the node, or among the outputs of the graph.
  std::size_t index() const;
  bool is_graph_output() const { return user() == nullptr; }

 private:
  friend class Graph;
  friend class Node;
  friend class UseRange;
  friend class Value;
  Use() = default;

  Value* value_ = nullptr;
  Use* next_ = nullptr;  // circular, in linking order
  Use* prev_ = nullptr;
  Node* owner_ = nullptr;
};

/// A graph input, an initializer, or an output of a node.
class Value {
 public:
  Value(const Value&) = delete;  // a Value lives in its graph: hold it as Value&, const auto& or Value*
  Value& operator=(const Value&) = delete;  // a Value lives in its graph: hold it as Value&, const auto& or Value*

  /// The name; "" for an output that its node omits.
  std::string_view name() const { return *name_; }
  Node* producer() const;
  /// The index among the outputs of producer().
  std::size_t index() const { return index_; }
  Graph& graph() const;
  bool erased() const { return (flags_ & erased_flag) != 0; }

  /// All uses, including graph outputs and uses in subgraph bodies. The current use may be relinked while iterating.
  UseRange uses() const;
  std::size_t use_count() const { return use_count_; }
  bool is_used() const { return use_count_ != 0; }
  bool has_one_use() const { return use_count_ == 1; }
  /// The reading nodes, including those in subgraph bodies, once for each input that reads the value. Graph outputs are
  /// not included. The current node may be rewired or erased.
  UserRange users() const;
  bool is_graph_output() const;
  bool is_graph_input() const { return (flags_ & input_flag) != 0; }

  /// The dense initializer of this name, constant or overridable; nullptr if there is none.
  const onnx::TensorProto* initializer() const { return flags_ & initializer_flag ? initializer_ : nullptr; }
  /// Whether the value is the same in every run: an initializer that no caller can override (IR < 4: any), an output of
  /// Constant, or an Identity of a constant.
  bool is_constant() const;
  /// The contents of a constant, without a copy if the encoding allows it. nullopt for other values and for strings.
  /// Throws Error for malformed data.
  std::optional<Tensor> constant() const;

  /// The declared or inferred type. nullptr if unknown, and for an initializer without a declared type.
  const onnx::TypeProto* type() const { return type_; }
  /// The dtype and shape. For an initializer that no caller can override, those of its tensor, not the declared ones.
  DType dtype() const;
  Shape shape() const;

 private:
  friend class Graph;
  friend class Inference;
  friend class Model;
  friend class Node;
  friend class Use;
  friend struct detail::Store;
  friend class detail::Undo;
  /// declared: the file has a type; retyped: the next commit writes it; inferred: type_ differs from the type in the
  /// file.
  static constexpr std::uint32_t input_flag = 1, initializer_flag = 2, erased_flag = 4, declared_flag = 8,
                                 retyped_flag = 16, inferred_flag = 32;
  static constexpr std::uint32_t flag_mask = 63, index_mask = (1u << 26) - 1;

  Value() = default;
  void link(Use& use);
  void unlink(Use& use);
  /// The owner of a constant's contents: a tensor or a Constant node; both nullptr for other values.
  struct Source {
    const onnx::TensorProto* tensor = nullptr;
    const Node* constant_node = nullptr;
  };
  Source constant_source() const;
  bool is_overridable() const;
  /// The input of the Identity that computes this value; nullptr for other values.
  const Value* before_identity() const;

  const std::string* name_ = nullptr;
  union {
    Node* producer_ = nullptr;
    onnx::TensorProto* initializer_;
  };
  Use* first_use_ = nullptr;
  const onnx::TypeProto* type_ = nullptr;
  Graph* graph_ = nullptr;
  std::uint32_t use_count_ = 0;
  std::uint32_t index_ : 26 = 0;  // index among the outputs, or among the initializers
  std::uint32_t flags_ : 6 = 0;
};

/// Forward range over a value's uses.
class UseRange {
 public:
  class Iterator {
   public:
    using value_type = Use;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(Use* use, Use* next, std::size_t left) : use_(use), next_(next), left_(left) {}
    Use& operator*() const { return *use_; }
    Use* operator->() const { return use_; }
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator& other) const { return left_ == other.left_; }

   private:
    Use* use_ = nullptr;
    Use* next_ = nullptr;  // read ahead, because the current use may be relinked
    std::size_t left_ = 0;
  };

  UseRange(Use* first, Use* second, std::size_t count) : first_(first), second_(second), count_(count) {}
  Iterator begin() const { return {first_, second_, count_}; }
  Iterator end() const { return {}; }
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Use& front() const { return *first_; }

 private:
  Use* first_;
  Use* second_;
  std::size_t count_;
};

/// Forward range over the nodes that read a value.
class UserRange {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(UseRange::Iterator use) : use_(use) { skip_graph_outputs(); }
    Node& operator*() const;
    Node* operator->() const;
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator&) const = default;

   private:
    void skip_graph_outputs();
    UseRange::Iterator use_;
  };

  explicit UserRange(UseRange uses) : uses_(uses) {}
  Iterator begin() const { return Iterator(uses_.begin()); }
  Iterator end() const { return {}; }
  bool empty() const { return begin() == end(); }
  Node& front() const;

 private:
  UseRange uses_;
};

}  // namespace graft::inline v1
