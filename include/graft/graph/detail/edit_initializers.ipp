#pragma once
// The primitive edits of initializers. Each records beside itself how it is taken back.
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/read.ipp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
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
  if (value.initializer() == nullptr) throw Error("is no initializer").field(value.name());
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
    // The input stays; it loses its default.
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

}  // namespace graft::inline v1
