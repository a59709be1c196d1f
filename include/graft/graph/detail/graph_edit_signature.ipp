#pragma once
// The primitive edits of initializers, inputs and outputs. Each edit records its undo. Edits of inputs and outputs are
// rare, so they record the whole signature.
#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Value& Graph::add_initializer(onnx::TensorProto tensor) {
  if (is_function()) {
    Attributes contents;
    contents.emplace_back("value", std::move(tensor));
    return *insert("Constant", {}, 1, contents, first_node()).output(0);
  }
  if (tensor.name().empty() || names_.find(tensor.name()) != nullptr || is_captured(tensor.name()))
    tensor.set_name(fresh_name(tensor.name().empty() ? "constant" : tensor.name()));
  onnx::TensorProto& stored = store_->create<onnx::TensorProto>();
  stored = std::move(tensor);
  store_->stow(stored);
  Value& value = *new_values(1);
  value.name_ = &stored.name();
  value.initializer_ = &stored;
  value.flags_ |= Value::initializer_flag;
  value.index_ = static_cast<std::uint32_t>(initializers_.size()) & Value::index_mask;
  initializers_.push_back(&value);
  declare(value);
  touch(initializers_changed_);
  journal().record(detail::Undo::AddValue{&value});
  return value;
}

GRAFT_INLINE Value& Graph::add_initializer(Tensor tensor, std::string_view hint) {
  onnx::TensorProto proto;
  write_tensor(std::move(tensor), proto);
  proto.set_name(fresh_name(hint.empty() ? "constant" : hint));
  return add_initializer(std::move(proto));
}

GRAFT_INLINE void Graph::set_initializer(Value& value, Tensor tensor) {
  check_alive(value);
  if (value.initializer() == nullptr) throw Error("is not an initializer").field(value.name());
  onnx::TensorProto& stored = store_->create<onnx::TensorProto>();
  write_tensor(std::move(tensor), stored);
  store_->stow(stored);
  stored.set_name(std::string(value.name()));
  stored.set_doc_string(value.initializer_->doc_string());
  if (stored.doc_string().empty()) stored.clear_doc_string();
  value.graph_->touch(value.graph_->initializers_changed_);
  journal().record(detail::Undo::SetInitializer{&value, value.initializer_});
  value.initializer_ = &stored;
}

GRAFT_INLINE void Graph::erase(Value& initializer) {
  check_own(initializer);
  if (initializer.initializer() == nullptr || initializer.use_count() != 0)
    throw Error("only an unused initializer can be erased").field(initializer.name());
  touch(initializers_changed_);
  touch(infos_changed_);
  if (initializer.is_graph_input()) {
    // The input stays, without its default.
    journal().record(detail::Undo::EraseDefault{&initializer, initializer.initializer_});
    initializers_[initializer.index_] = &store_->nothing;
    initializer.producer_ = nullptr;
    initializer.flags_ &= ~Value::initializer_flag & Value::flag_mask;
  } else {
    journal().record(detail::Undo::EraseInitializer{&initializer});
    names_.erase(initializer);
    initializer.flags_ |= Value::erased_flag;
  }
}

GRAFT_INLINE void Graph::record_signature() {
  touch(signature_changed_);
  touch(infos_changed_);
  if (!journal().recording()) return;
  const detail::Signature& before =
      store_->signatures.emplace_back(detail::Signature{inputs_, input_infos_, output_infos_});
  journal().record(detail::Undo::SetSignature{this, &before});
}

GRAFT_INLINE Value& Graph::add_input(std::string_view name, const onnx::TypeProto& type) {
  if (name.empty() || names_.find(name) != nullptr || is_captured(name))
    throw Error("a graph input cannot be called '" + std::string(name) + "'").field("graph.input");
  record_signature();
  Value& value = *new_values(1);
  value.flags_ |= Value::input_flag | Value::declared_flag;
  if (graph_proto_ != nullptr) {
    onnx::ValueInfoProto& info = store_->create<onnx::ValueInfoProto>();
    info.set_name(std::string(name));
    *info.mutable_type() = type;
    value.name_ = &info.name();
    value.type_ = &info.type();
    input_infos_.push_back(&info);
  } else {
    value.name_ = &intern(std::string(name));
    value.type_ = &store_->types.emplace_back(type);
    input_infos_.push_back(nullptr);
  }
  inputs_.push_back(&value);
  declare(value);
  journal().record(detail::Undo::AddValue{&value});
  return value;
}

GRAFT_INLINE void Graph::remove_input(Value& input) {
  if (input.erased()) throw Error("the value has been erased");
  const auto place = std::find(inputs_.begin(), inputs_.end(), &input);
  if (place == inputs_.end()) throw Error("is not a graph input").field(input.name());
  if (input.initializer() == nullptr && input.use_count() != 0)
    throw Error("a used graph input cannot be removed").field(input.name());
  record_signature();
  input_infos_.erase(input_infos_.begin() + (place - inputs_.begin()));
  inputs_.erase(place);
  journal().record(detail::Undo::RemoveInput{&input, input.flags_});
  input.flags_ &= ~Value::input_flag & Value::flag_mask;
  if (input.initializer() != nullptr) {
    // Its declared type goes with the input; the tensor has the type anyway.
    input.name_ = &intern(std::string(input.name()));
    if (input.type_ != nullptr) set_type(input, *input.type_);
    touch(initializers_changed_);
    return;
  }
  names_.erase(input);
  input.flags_ |= Value::erased_flag;
}

GRAFT_INLINE void Graph::reorder_inputs(std::span<Value* const> order) {
  if (!std::is_permutation(inputs_.begin(), inputs_.end(), order.begin(), order.end()))
    throw Error("the new order is not a permutation of the graph inputs").field("graph.input");
  record_signature();
  std::vector<onnx::ValueInfoProto*> infos;
  for (Value* const value : order) {
    const auto place = std::find(inputs_.begin(), inputs_.end(), value);
    infos.push_back(input_infos_[static_cast<std::size_t>(place - inputs_.begin())]);
  }
  inputs_.assign(order.begin(), order.end());
  input_infos_ = std::move(infos);
}

GRAFT_INLINE void Graph::set_output(std::size_t i, Value& value) {
  check_output(i);
  check_read(value, end_.uses_[i]);
  touch(signature_changed_);
  touch(infos_changed_);
  if (Value* const old = end_.input(i)) own_type(*old);
  if (!set_input(end_.uses_[i], &value)) throw Error("is not visible here").field(value.name());
}

GRAFT_INLINE void Graph::add_output(Value& value) {
  if (const std::string why = why_unreadable(value); !why.empty()) throw Error(why).field("graph.output");
  record_signature();
  onnx::ValueInfoProto* info = nullptr;
  if (graph_proto_ != nullptr) {
    info = &store_->create<onnx::ValueInfoProto>();
    info->set_name(std::string(value.name()));
    if (value.type_ != nullptr) *info->mutable_type() = *value.type_;
  }
  output_infos_.push_back(info);
  resize_inputs(end_, end_.input_count_ + 1);
  set_output(end_.input_count_ - 1, value);
}

GRAFT_INLINE void Graph::remove_output(std::size_t i) {
  check_output(i);
  record_signature();
  if (Value* const value = end_.input(i)) own_type(*value);
  output_infos_.erase(output_infos_.begin() + static_cast<std::ptrdiff_t>(i));
  for (; i + 1 < end_.input_count_; ++i) set_output(i, *end_.input(i + 1));
  resize_inputs(end_, end_.input_count_ - 1);
}

}  // namespace graft::inline v1
