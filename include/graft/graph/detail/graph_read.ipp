#pragma once
// Creates the nodes and values of a scope from its proto.
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/pool.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Graph::Graph(detail::Store& store, onnx::GraphProto& proto, Graph* parent, Node* owner)
    : store_(&store), graph_proto_(&proto), parent_(parent), owner_(owner),
      root_(parent ? parent->root_ : this), depth_(parent ? parent->depth_ + 1 : 0) {
  end_.prev_ = end_.next_ = &end_;
  end_.graph_ = this;
}
GRAFT_INLINE Graph::Graph(detail::Store& store, onnx::FunctionProto& proto)
    : store_(&store), function_proto_(&proto), root_(this) {
  end_.prev_ = end_.next_ = &end_;
  end_.graph_ = this;
  store.ops.intern(proto.domain(), proto.name());  // so that lookups of calls need not intern it
}

GRAFT_INLINE google::protobuf::RepeatedPtrField<onnx::NodeProto>& Graph::node_field() const {
  return graph_proto_ ? *graph_proto_->mutable_node() : *function_proto_->mutable_node();
}
GRAFT_INLINE detail::Journal& Graph::journal() const { return store_->journal; }
GRAFT_INLINE Model& Graph::model() const { return *store_->model; }
GRAFT_INLINE std::string_view Graph::name() const {
  return graph_proto_ ? graph_proto_->name() : function_proto_->name();
}
GRAFT_INLINE std::string& Graph::intern(std::string text) const {
  return store_->strings.emplace_back(std::move(text));
}

GRAFT_INLINE int Graph::opset(std::string_view domain) const {
  const onnx::FunctionProto* const function = root_->function_proto_;
  if (function == nullptr) return store_->version_of(domain);
  domain = canonical_domain(domain);
  int version = 0;  // the last import counts
  for (const onnx::OperatorSetIdProto& import : function->opset_import())
    if (canonical_domain(import.domain()) == domain) version = static_cast<int>(import.version());
  return version;
}

GRAFT_INLINE std::size_t Graph::view_bytes() const {
  return sizeof(Graph) + names_.bytes() + (inputs_.capacity() + input_infos_.capacity() + output_infos_.capacity() +
                                           initializers_.capacity() + annotated_.capacity()) * sizeof(void*);
}

GRAFT_INLINE Use* Graph::new_uses(Node& owner, std::size_t count) {
  auto* const uses = static_cast<Use*>(store_->pool.allocate(count * sizeof(Use)));
  for (std::size_t i = 0; i < count; ++i) (new (uses + i) Use)->owner_ = &owner;
  return uses;
}
GRAFT_INLINE Value* Graph::new_values(std::size_t count) {
  return make_values(store_->pool.allocate(count * sizeof(Value)), count);
}
GRAFT_INLINE Value* Graph::make_values(void* place, std::size_t count) {
  auto* const values = static_cast<Value*>(place);
  for (std::size_t i = 0; i < count; ++i) {
    Value& value = *new (values + i) Value;
    value.graph_ = this;
    value.index_ = static_cast<std::uint32_t>(i) & Value::index_mask;
    value.name_ = &detail::empty_string();
  }
  return values;
}
GRAFT_INLINE Node& Graph::new_node(onnx::NodeProto& payload, std::size_t inputs, std::size_t outputs) {
  static_assert(sizeof(Node) % alignof(Value) == 0);
  Node& node = *new (store_->pool.allocate(sizeof(Node) + outputs * sizeof(Value))) Node;
  node.proto_ = &payload;
  node.graph_ = this;
  node.op_ = store_->intern(payload.domain(), payload.op_type());
  node.input_count_ = static_cast<std::uint32_t>(inputs);
  node.output_count_ = static_cast<std::uint32_t>(outputs);
  node.uses_ = new_uses(node, inputs);
  Value* const values = make_values(&node + 1, outputs);
  for (std::size_t i = 0; i < outputs; ++i) values[i].producer_ = &node;
  store_->note_suffix(payload.name());
  return node;
}

GRAFT_INLINE void Graph::declare(Value& value) {
  store_->note_suffix(value.name());
  if (const Value* const first = names_.insert(value)) refuse_second(value, *first);
}

/// Declares many values. Fetches slots some values ahead, because a large table is in no cache.
GRAFT_INLINE void Graph::declare(std::span<Value* const> values) {
  constexpr std::size_t ahead = 16;
  detail::NameTable::Hash hashes[ahead];
  const auto fetch = [&](std::size_t i) {
    if (i >= values.size()) return;
    hashes[i % ahead] = detail::NameTable::hash(values[i]->name());
    names_.prefetch(hashes[i % ahead]);
  };
  for (std::size_t i = 0; i < ahead; ++i) fetch(i);
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_->note_suffix(values[i]->name());
    if (const Value* const first = names_.insert(*values[i], hashes[i % ahead])) refuse_second(*values[i], *first);
    fetch(i + ahead);
  }
}

GRAFT_INLINE void Graph::refuse_second(const Value& value, const Value& first) const {
  Error error("the name '" + std::string(value.name()) + "' is defined twice" +
              (first.producer() ? ", before that by node '" + display_name(*first.producer()) + "'" : ""));
  if (value.producer() != nullptr) {
    error.node(display_name(*value.producer())).field("output[" + std::to_string(value.index()) + "]");
  } else {
    error.field("graph.initializer");
  }
  throw error.file(store_->file);
}

GRAFT_INLINE void Graph::add_bodies(Node& node) {
  std::vector<Body> bodies;
  for (onnx::AttributeProto& attribute : *node.proto_->mutable_attribute()) {
    if (attribute.has_g()) {
      bodies.push_back({attribute.name(), &store_->graphs.emplace_back(*store_, *attribute.mutable_g(), this, &node)});
    }
    for (onnx::GraphProto& graph : *attribute.mutable_graphs())
      bodies.push_back({attribute.name(), &store_->graphs.emplace_back(*store_, graph, this, &node)});
  }
  if (bodies.empty()) return;
  node.flags_ |= Node::bodies_flag;
  store_->bodies.emplace(&node, std::move(bodies));
}

GRAFT_INLINE void Graph::read_values() {
  auto& nodes = node_field();
  std::size_t names = 0;
  for (const onnx::NodeProto& node : nodes) names += static_cast<std::size_t>(node.output_size());
  const auto input_count = graph_proto_ ? graph_proto_->input_size() : function_proto_->input_size();
  names += static_cast<std::size_t>(input_count);
  if (graph_proto_ != nullptr) names += static_cast<std::size_t>(graph_proto_->initializer_size());
  names_.reserve(names);

  detail::NameTable input_names;  // smaller than names_, for one lookup per initializer
  Value* const inputs = new_values(static_cast<std::size_t>(input_count));
  for (int i = 0; i < input_count; ++i) {
    Value& value = inputs[i];
    value.flags_ |= Value::input_flag;
    if (graph_proto_ != nullptr) {
      onnx::ValueInfoProto& info = *graph_proto_->mutable_input(i);
      value.name_ = &info.name();
      if (info.has_type()) {
        value.type_ = &info.type();
        value.flags_ |= Value::declared_flag;
      }
      input_infos_.push_back(&info);
    } else {
      value.name_ = &function_proto_->input(i);
      input_infos_.push_back(nullptr);
    }
    if (names_.find(value.name()) != nullptr)
      throw Error("two graph inputs are called '" + std::string(value.name()) + "'")
          .field("graph.input")
          .file(store_->file);
    inputs_.push_back(&value);
    if (!value.name().empty()) declare(value);
    input_names.insert(value);
  }
  std::vector<Value*> fresh;
  fresh.reserve(names);
  if (graph_proto_ != nullptr) {
    initializers_.reserve(static_cast<std::size_t>(graph_proto_->initializer_size()));
    for (onnx::TensorProto& tensor : *graph_proto_->mutable_initializer()) {
      Value* const input = input_names.find(tensor.name());  // an initializer of the same name is its default
      Value& value = input != nullptr && input->initializer() == nullptr ? *input : *new_values(1);
      value.initializer_ = &tensor;
      value.flags_ |= Value::initializer_flag;
      value.index_ = static_cast<std::uint32_t>(initializers_.size()) & Value::index_mask;
      initializers_.push_back(&value);
      if (&value == input) continue;
      value.name_ = &tensor.name();
      fresh.push_back(&value);
    }
    for (const onnx::SparseTensorProto& tensor : graph_proto_->sparse_initializer()) {
      if (names_.find(tensor.values().name()) != nullptr) continue;  // it is the default of an input
      Value& value = *new_values(1);
      value.name_ = &tensor.values().name();
      fresh.push_back(&value);
    }
  }
  std::uint64_t key = 0;
  for (onnx::NodeProto& payload : nodes) {
    Node& node = new_node(payload, static_cast<std::size_t>(payload.input_size()),
                          static_cast<std::size_t>(payload.output_size()));
    node.key_ = key += std::uint64_t{1} << 32;
    node.prev_ = end_.prev_;
    node.next_ = &end_;
    node.prev_->next_ = end_.prev_ = &node;
    ++node_count_;
    for (std::size_t i = 0; i < node.output_count_; ++i) {
      Value& value = node.first_output()[i];
      value.name_ = &payload.output(static_cast<int>(i));
      if (!value.name().empty()) fresh.push_back(&value);
    }
    if (store_->may_have_bodies(node.op_)) add_bodies(node);
  }
  declare(fresh);
  if (graph_proto_ == nullptr) return;
  const auto describe = [this](const onnx::ValueInfoProto& info) {
    Value* const value = info.has_type() ? names_.find(info.name()) : nullptr;
    if (value == nullptr || value->is_graph_input()) return;
    value->type_ = &info.type();
    value->flags_ |= Value::declared_flag;
  };
  for (const onnx::ValueInfoProto& info : graph_proto_->value_info()) describe(info);
  for (const onnx::ValueInfoProto& info : graph_proto_->output()) describe(info);
}

}  // namespace graft::inline v1
