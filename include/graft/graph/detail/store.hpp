#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
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
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

struct Import {
  std::string domain;
  int version = 0;
};

/// What an edit of a graph's signature goes back to.
struct Signature {
  std::vector<Value*> inputs;
  std::vector<onnx::ValueInfoProto*> input_infos, output_infos;
};

/// What the scopes of one model share. It has a stable address, so that a Model can be moved.
struct Store {
  Store(Model& owner, onnx::ModelProto& model_proto, std::string model_file);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// A message that proto can adopt at commit: on its arena, or on the heap and freed by whoever drops it.
  template <class Message>
  Message& create() {
    google::protobuf::Arena* const arena = proto->GetArena();
    auto* const message = google::protobuf::Arena::CreateMessage<Message>(arena);
    if (arena == nullptr) pending_of<Message>().emplace_back(message);
    return *message;
  }
  template <class Message>
  void assign(google::protobuf::RepeatedPtrField<Message>& field, const std::vector<Message*>& wanted);
  void move_bodies();
  void settle();
  void stow(onnx::TensorProto& tensor) {
    if (stows) external->stow(tensor);
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

  /// The id of an operator. Its facts are looked up when it is met first, not for each node.
  OpId intern(std::string_view domain, std::string_view op_type);
  /// Of an operator that a node has; none of an unknown one.
  std::span<const schema::Operator> versions_of(OpId op) const {
    return versions_by_op[static_cast<std::size_t>(op)];
  }
  /// False for an operator whose schema has no graphs: its attributes need not be looked at.
  bool may_have_bodies(OpId op) const;
  /// Keeps fresh names clear of every name that ends in "__<number>".
  void note_suffix(std::string_view name);
  int version_of(std::string_view domain) const;

  Model* model;
  std::unique_ptr<onnx::ModelProto> owned;
  onnx::ModelProto* proto;
  std::string file;
  std::optional<ExternalData> external;
  bool stows = false;  // new weights go to the scratch file of `external`

  Pool pool;
  OpTable ops;
  std::vector<std::span<const schema::Operator>> versions_by_op;
  Journal journal;
  std::deque<Graph> graphs;  // the main graph first, then functions and bodies in the order of reading
  std::vector<Graph*> functions;
  bool functions_changed = false;
  std::unordered_map<const Node*, std::vector<Body>> bodies;
  std::deque<std::string> strings;
  std::deque<onnx::TypeProto> types;
  std::deque<Signature> signatures;
  Value nothing;  // stands where an input lost its default
  std::uint64_t suffix = 0;
  IdentitySources identity_sources;

  std::vector<Import> imports, dropped_imports;
  int ir_version = 0;
  std::vector<std::pair<std::string, std::string>> metadata;  // to be set at the next commit
  bool reordered = false;  // the nodes of some scope were not in topological order

  std::vector<std::unique_ptr<onnx::NodeProto>> pending_nodes;
  std::vector<std::unique_ptr<onnx::TensorProto>> pending_tensors;
  std::vector<std::unique_ptr<onnx::ValueInfoProto>> pending_infos;
  std::vector<std::unique_ptr<onnx::FunctionProto>> pending_functions;
  // Bodies stay where they are when the payload of their node is copied, until the commit moves them over.
  std::vector<std::pair<Node*, onnx::NodeProto*>> split_bodies;
};

}  // namespace graft::inline v1::detail
