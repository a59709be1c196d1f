#pragma once
// Writes the edits of a view into its proto. Unedited messages keep their addresses.
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Makes the field hold exactly `wanted`, in that order, by moving pointers: kept messages keep their addresses.
/// Deletes dropped messages, unless an arena owns them. The proto takes over new messages, which this store created.
template <class Message>
void detail::Store::assign(google::protobuf::RepeatedPtrField<Message>& field, const std::vector<Message*>& wanted) {
  std::vector<Message*> old(static_cast<std::size_t>(field.size()));
  if (!old.empty()) field.UnsafeArenaExtractSubrange(0, field.size(), old.data());
  field.Reserve(static_cast<int>(wanted.size()));
  for (Message* const message : wanted) field.UnsafeArenaAddAllocated(message);
  if (proto->GetArena() != nullptr) return;
  std::vector<Message*> kept = wanted;
  std::sort(kept.begin(), kept.end(), std::less<>());
  const auto is_kept = [&](Message* message) {
    return std::binary_search(kept.begin(), kept.end(), message, std::less<>());
  };
  for (Message* const message : old)
    if (!is_kept(message)) delete message;
  for (auto& message : pending_of<Message>())
    if (is_kept(message.get())) static_cast<void>(message.release());
}

/// Frees created messages that the proto did not take over.
GRAFT_INLINE void detail::Store::settle() {
  pending_nodes.clear();
  pending_tensors.clear();
  pending_infos.clear();
  pending_functions.clear();
  signatures.clear();
}

GRAFT_INLINE void detail::Store::move_bodies() {
  for (const auto& [node, old] : split_bodies) {
    if (node->erased() || &node->proto() == old) continue;
    auto& current = const_cast<onnx::NodeProto&>(node->proto());
    for (onnx::AttributeProto& from : *old->mutable_attribute()) {
      if (!from.has_g() && from.graphs_size() == 0) continue;
      for (onnx::AttributeProto& to : *current.mutable_attribute()) {
        if (to.name() != from.name()) continue;
        for (Body& body : bodies.find(node)->second)
          if (body.attribute == from.name()) body.attribute = to.name();  // move_bodies() will free the old payload
        if (from.has_g()) to.unsafe_arena_set_allocated_g(from.unsafe_arena_release_g());
        to.mutable_graphs()->Swap(from.mutable_graphs());
      }
    }
  }
  split_bodies.clear();
}

/// Writes the wires into the payloads. From then on the names of values that live in payloads are read from there.
GRAFT_INLINE void Graph::write_names() {
  for (Node* node = end_.next_; node != &end_; node = node->next_) {
    if ((node->flags_ & Node::rewired_flag) == 0) continue;
    auto& outputs = *node->proto_->mutable_output();
    while (outputs.size() > static_cast<int>(node->output_count_)) outputs.RemoveLast();
    for (std::size_t i = 0; i < node->output_count_; ++i) {
      Value& value = node->first_output()[i];
      if (static_cast<int>(i) == outputs.size()) outputs.Add();
      std::string& slot = *outputs.Mutable(static_cast<int>(i));
      if (slot != value.name()) slot = std::string(value.name());
      value.name_ = &slot;
    }
  }
}

GRAFT_INLINE void Graph::commit_nodes() {
  for (Node* node = end_.next_; node != &end_; node = node->next_) {
    if ((node->flags_ & Node::rewired_flag) == 0) continue;
    auto& inputs = *node->proto_->mutable_input();
    // A trailing "" from the file stays, because it does not change the node.
    while (inputs.size() > static_cast<int>(node->input_count_)) inputs.RemoveLast();
    while (inputs.size() < static_cast<int>(node->input_count_)) inputs.Add();
    for (std::size_t i = 0; i < node->input_count_; ++i) {
      const Value* const value = node->uses_[i].value_;
      std::string& slot = *inputs.Mutable(static_cast<int>(i));
      if (slot != (value ? value->name() : "")) slot = value ? std::string(value->name()) : std::string();
    }
    node->flags_ &= ~Node::rewired_flag;
  }
  if (!nodes_changed_) return;
  std::vector<onnx::NodeProto*> wanted;
  wanted.reserve(node_count_);
  for (Node* node = end_.next_; node != &end_; node = node->next_) {
    wanted.push_back(node->proto_);
    node->flags_ &= ~Node::own_payload_flag;
  }
  store_->assign(node_field(), wanted);
}

GRAFT_INLINE void Graph::commit_initializers() {
  if (!initializers_changed_ || graph_proto_ == nullptr) return;
  std::vector<onnx::TensorProto*> wanted;
  std::vector<Value*> alive = initializers();
  for (std::size_t i = 0; i < alive.size(); ++i) {
    Value& value = *alive[i];
    if (value.initializer_->name() != value.name()) value.initializer_->set_name(std::string(value.name()));
    if (!value.is_graph_input()) value.name_ = &value.initializer_->name();
    value.index_ = static_cast<std::uint32_t>(i) & Value::index_mask;
    wanted.push_back(value.initializer_);
  }
  initializers_ = std::move(alive);
  store_->assign(*graph_proto_->mutable_initializer(), wanted);
}

/// Writes initializers as graph inputs, which they must be below IR 4. These inputs follow the others and do not belong
/// to the signature. They go when the initializer is erased or the version is raised.
GRAFT_INLINE void Graph::list_initializers() {
  constexpr int first_version = 1, last_version = 3;  // 0, an absent version, does not change
  if (graph_proto_ == nullptr) return;
  const bool due = store_->ir_version >= first_version && store_->ir_version <= last_version;
  const bool lowered = store_->proto->ir_version() > last_version;
  if (due ? !initializers_changed_ && !signature_changed_ && !lowered : listed_.empty()) return;
  const std::unordered_map<const Value*, onnx::ValueInfoProto*> before(listed_.begin(), listed_.end());
  listed_.clear();
  signature_changed_ = true;
  if (!due) return;
  for (const Value* const value : initializers()) {
    if (value->is_graph_input()) continue;
    const auto found = before.find(value);
    onnx::ValueInfoProto& info = found != before.end() ? *found->second : store_->create<onnx::ValueInfoProto>();
    if (info.name() != value->name()) info.set_name(std::string(value->name()));
    *info.mutable_type() = tensor_type(static_cast<DType>(value->initializer_->data_type()),
                                       Shape(*value->initializer_));
    listed_.emplace_back(value, &info);
  }
}

GRAFT_INLINE void Graph::commit_signature() {
  if (graph_proto_ == nullptr) {
    if (!signature_changed_ && !wires_changed_) return;
    // The names may live in the field that is cleared here.
    for (Value* const value : inputs_) value->name_ = &intern(std::string(value->name()));
    function_proto_->clear_input();
    for (const Value* const value : inputs_) *function_proto_->add_input() = *value->name_;
    function_proto_->clear_output();
    for (Value* const value : end_.inputs()) *function_proto_->add_output() = value ? std::string(value->name()) : "";
    return;
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    Value& value = *inputs_[i];
    onnx::ValueInfoProto& info = *input_infos_[i];
    if (info.name() != value.name()) info.set_name(std::string(value.name()));
    value.name_ = &info.name();
  }
  for (std::size_t i = 0; i < output_infos_.size(); ++i) {
    const Value* const value = end_.input(i);
    if (value != nullptr && output_infos_[i]->name() != value->name())
      output_infos_[i]->set_name(std::string(value->name()));
  }
  if (!signature_changed_) return;
  std::vector<onnx::ValueInfoProto*> inputs = input_infos_;
  for (const auto& [value, info] : listed_) inputs.push_back(info);
  store_->assign(*graph_proto_->mutable_input(), inputs);
  store_->assign(*graph_proto_->mutable_output(), output_infos_);
}

GRAFT_INLINE void Graph::commit_infos() {
  if (!infos_changed_ || graph_proto_ == nullptr) return;
  std::vector<onnx::ValueInfoProto*> wanted;
  std::unordered_set<const Value*> written;
  // Runtimes reject a type with a shape alone, which an output of an unknown operator may have.
  const auto lacks_dtype = [](const onnx::TypeProto* type) {
    return type == nullptr ||
           (type->has_tensor_type() && type->tensor_type().elem_type() == onnx::TensorProto::UNDEFINED);
  };
  const auto is_undeclared = [&](const Value& value) {  // since the last commit
    return (value.flags_ & Value::retyped_flag) != 0 &&
           ((value.flags_ & Value::declared_flag) == 0 || lacks_dtype(value.type_));
  };
  // A value that gave its name away keeps its type.
  const auto is_of_another = [](const onnx::ValueInfoProto& info, const Value& value) {
    return info.has_type() && !value.is_graph_input() && (value.flags_ & Value::declared_flag) == 0;
  };
  const auto update = [&](onnx::ValueInfoProto& info, Value& value) {
    written.insert(&value);
    if ((value.flags_ & Value::retyped_flag) == 0 || value.type_ == &info.type()) return;
    if (is_undeclared(value)) {
      info.clear_type();
      return;
    }
    *info.mutable_type() = *value.type_;
    value.type_ = &info.type();
  };
  for (std::size_t i = 0; i < inputs_.size(); ++i) update(*input_infos_[i], *inputs_[i]);
  for (std::size_t i = 0; i < output_infos_.size(); ++i)
    if (Value* const value = end_.input(i)) update(*output_infos_[i], *value);
  for (onnx::ValueInfoProto& info : *graph_proto_->mutable_value_info()) {
    Value* const value = names_.find(info.name());
    if (value == nullptr || is_undeclared(*value) || is_of_another(info, *value)) continue;
    update(info, *value);
    wanted.push_back(&info);
  }
  const auto declare_new = [&](Value& value) {
    if ((value.flags_ & Value::retyped_flag) == 0) return;
    const bool is_dropped = is_undeclared(value);
    value.flags_ &= ~Value::retyped_flag & Value::flag_mask;
    if (is_dropped || value.name().empty() || !written.insert(&value).second) return;
    onnx::ValueInfoProto& info = store_->create<onnx::ValueInfoProto>();
    info.set_name(std::string(value.name()));
    *info.mutable_type() = *value.type_;
    value.type_ = &info.type();
    wanted.push_back(&info);
  };
  for (Node* node = end_.next_; node != &end_; node = node->next_)
    for (Value& value : node->outputs()) declare_new(value);
  for (Value* const value : initializers_) declare_new(*value);
  store_->assign(*graph_proto_->mutable_value_info(), wanted);
}

GRAFT_INLINE void Graph::commit() {
  // Nodes that were unsorted in the file are written sorted, but only if the commit writes anything.
  if (wires_changed_ || initializers_changed_ || infos_changed_ || signature_changed_)
    nodes_changed_ = nodes_changed_ || store_->reordered;
  if (wires_changed_ || nodes_changed_) commit_nodes();
  commit_initializers();
  list_initializers();
  if (wires_changed_ || signature_changed_) commit_signature();
  commit_infos();
  commit_annotations();
  nodes_changed_ = wires_changed_ = initializers_changed_ = infos_changed_ = signature_changed_ = false;
}

}  // namespace graft::inline v1
