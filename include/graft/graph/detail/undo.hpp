#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

class Graph;
class Node;
class Use;
class Value;

namespace detail {

struct Signature;
struct Store;

/// The undo record of one edit. Each kind of edit has a record with the previous state. Records are plain data: an edit
/// inside a transaction costs one push.
class Undo {
 public:
  struct InsertNode {
    Node* node;
    void undo() const;
  };
  struct EraseNode {
    Node* node;
    Node* next;
    void undo() const;
  };
  struct MoveNode {
    Node* node;
    Node* next;
    void undo() const;
  };
  /// A replaced payload.
  struct EditNode {
    Node* node;
    onnx::NodeProto* proto;
    std::uint32_t flags;
    void undo() const;
  };
  struct SetOp {
    Node* node;
    OpId op;
    void undo() const;
  };

  struct SetInput {
    Use* use;
    Value* value;
    void undo() const;
  };
  struct ResizeInputs {
    Node* node;
    Use* uses;
    std::uint32_t count;
    void undo() const;
  };

  struct RenameValue {
    Value* value;
    const std::string* name;
    void undo() const;
  };
  struct SetType {
    Value* value;
    const onnx::TypeProto* type;
    std::uint32_t flags;
    void undo() const;
  };
  struct DeclareType {
    Value* value;
    std::uint32_t flags;
    void undo() const;
  };

  /// A new initializer or graph input.
  struct AddValue {
    Value* value;
    void undo() const;
  };
  struct SetInitializer {
    Value* value;
    onnx::TensorProto* tensor;
    void undo() const;
  };
  struct EraseInitializer {
    Value* value;
    void undo() const;
  };
  /// The removed default of a graph input, which stays.
  struct EraseDefault {
    Value* value;
    onnx::TensorProto* tensor;
    void undo() const;
  };

  struct SetSignature {
    Graph* graph;
    const Signature* signature;
    void undo() const;
  };
  struct RemoveInput {
    Value* value;
    std::uint32_t flags;
    void undo() const;
  };
  /// A mark that the next commit must write something.
  struct Mark {
    bool* changed;
    void undo() const;
  };

  struct AddFunction {
    Store* store;
    void undo() const;
  };
  struct DropFunction {
    Graph* function;
    std::size_t place;
    void undo() const;
  };
  struct SetIrVersion {
    Store* store;
    int version;
    void undo() const;
  };
  struct AddOpset {
    Store* store;
    void undo() const;
  };
  struct SetOpset {
    Store* store;
    std::size_t place;
    int version;
    void undo() const;
  };
  /// The last dropped import.
  struct DropOpset {
    Store* store;
    std::size_t place;
    void undo() const;
  };
  struct AddMetadata {
    Store* store;
    void undo() const;
  };

  using Record =
      std::variant<InsertNode, EraseNode, MoveNode, EditNode, SetOp, SetInput, ResizeInputs, RenameValue, SetType,
                   DeclareType, AddValue, SetInitializer, EraseInitializer, EraseDefault, SetSignature, RemoveInput,
                   Mark, AddFunction, DropFunction, SetIrVersion, AddOpset, SetOpset, DropOpset, AddMetadata>;

  template <class R>
    requires(!std::same_as<R, Undo> && requires(const R& record) { record.undo(); })
  Undo(const R& record) : record_(std::in_place_type<R>, record) {}
  void undo() const;
  /// Whether the edit does more than infer a type.
  bool is_change() const {
    return !std::holds_alternative<SetType>(record_) && !std::holds_alternative<DeclareType>(record_);
  }

 private:
  Record record_;
};

}  // namespace detail
}  // namespace graft::inline v1
