#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <google/protobuf/arena.h>

#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/pool.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

struct Import {
  std::string domain;
  int version = 0;
};

/// The signature of a graph before an edit, for undo.
struct Signature {
  std::vector<Value*> inputs;
  std::vector<onnx::ValueInfoProto*> input_infos, output_infos;
};

/// The name of every value without one.
inline const std::string& empty_string() {
  static const std::string empty;
  return empty;
}

/// What a model has beside its proto. clone() copies it, and revert() keeps it.
struct BesideProto {
  std::string file{};
  ExternalData external;
  bool stows = false;  // new weights go to the scratch file of `external`
  Operators operators{};
  bool reordered = false;  // the nodes of a scope were not in topological order
};

/// The common state of the scopes of one model. Its address is stable, so that a Model can be moved.
struct Store : BesideProto {
  Store(Model& owner, onnx::ModelProto& model_proto, BesideProto&& beside);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Creates a message that proto can take over at commit. It is on proto's arena, or on the heap.
  template <class Message>
  Message& create() {
    google::protobuf::Arena* const arena = proto->GetArena();
    auto* const message = Message::default_instance().New(arena);
    if (arena == nullptr) pending_of<Message>().emplace_back(message);
    return *message;
  }
  template <class Message>
  void assign(google::protobuf::RepeatedPtrField<Message>& field, const std::vector<Message*>& wanted);
  void move_bodies();
  void settle();
  void stow(onnx::TensorProto& tensor) {
    if (stows) external.stow(tensor);
  }

  template <class Message>
  std::vector<std::unique_ptr<Message>>& pending_of() {
    if constexpr (std::is_same_v<Message, onnx::NodeProto>) {
      return pending_nodes;
    } else if constexpr (std::is_same_v<Message, onnx::TensorProto>) {
      return pending_tensors;
    } else if constexpr (std::is_same_v<Message, onnx::FunctionProto>) {
      return pending_functions;
    } else {
      static_assert(std::is_same_v<Message, onnx::ValueInfoProto>);
      return pending_infos;
    }
  }

  /// The id of an operator. Its schema is looked up once, not for each node.
  OpId intern(std::string_view domain, std::string_view op_type);
  /// Adds operators of a user. They have precedence over those of the table.
  void add_operators(const Operators& more);
  std::span<const schema::Operator> versions_of(const OpName& name) const;
  const schema::Operator* find_schema(const OpName& name, int version) const;
  /// The schema versions of an operator that a node has; empty for an unknown operator.
  std::span<const schema::Operator> versions_of(OpId op) const {
    return versions_by_op[static_cast<std::size_t>(op)];
  }
  /// False if the operator's schema has no graph attributes: then its attributes need no check.
  bool may_have_bodies(OpId op) const;
  /// Keeps fresh names different from names that end in "__<number>".
  void note_suffix(std::string_view name);
  int version_of(std::string_view domain) const;

  Model* model;
  std::unique_ptr<onnx::ModelProto> owned;
  onnx::ModelProto* proto;

  Pool pool;
  OpTable ops;
  std::vector<std::span<const schema::Operator>> versions_by_op;
  Journal journal;
  std::deque<Graph> graphs;  // the main graph, then functions and bodies in reading order
  std::vector<Graph*> functions;
  bool functions_changed = false;
  std::unordered_map<const Node*, std::vector<Body>> bodies;
  std::deque<std::string> strings;
  std::deque<onnx::TypeProto> types;
  std::deque<Signature> signatures;
  Value nothing;  // replaces the default that an input lost
  std::uint64_t suffix = 0;
  IdentitySources identity_sources;

  std::vector<Import> imports, dropped_imports;
  int ir_version = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  // to be set at the next commit

  std::vector<std::unique_ptr<onnx::NodeProto>> pending_nodes;
  std::vector<std::unique_ptr<onnx::TensorProto>> pending_tensors;
  std::vector<std::unique_ptr<onnx::ValueInfoProto>> pending_infos;
  std::vector<std::unique_ptr<onnx::FunctionProto>> pending_functions;
  // When a node's payload is copied, its bodies stay in the old one until the commit moves them.
  std::vector<std::pair<Node*, onnx::NodeProto*>> split_bodies;
};

}  // namespace graft::inline v1::detail
