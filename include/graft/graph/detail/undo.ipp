#pragma once
// The undo of each kind of edit. Further changes of an edit have their own records.
#include <graft/graph/detail/undo.hpp>

#include <cstddef>
#include <type_traits>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

static_assert(std::is_trivially_copyable_v<Undo> && sizeof(Undo) <= 32);

GRAFT_INLINE void Undo::undo() const {
  std::visit([](const auto& record) { record.undo(); }, record_);
}

GRAFT_INLINE void Undo::InsertNode::undo() const { node->graph_->detach(*node); }
GRAFT_INLINE void Undo::EraseNode::undo() const { node->graph_->attach(*node, *next); }
GRAFT_INLINE void Undo::MoveNode::undo() const {
  node->graph_->unlink(*node);
  node->graph_->link_before(*node, *next);
}
GRAFT_INLINE void Undo::EditNode::undo() const {
  node->proto_ = proto;
  node->flags_ = flags | Node::rewired_flag;
}
GRAFT_INLINE void Undo::SetOp::undo() const {
  node->op_ = op;
  node->graph_->store_->identity_sources.forget();
}

GRAFT_INLINE void Undo::SetInput::undo() const { use->graph().relink(*use, value); }
GRAFT_INLINE void Undo::ResizeInputs::undo() const { node->graph_->adopt_uses(*node, uses, count); }

GRAFT_INLINE void Undo::RenameValue::undo() const { value->graph_->give_name(*value, name); }
GRAFT_INLINE void Undo::SetType::undo() const {
  value->type_ = type;
  value->flags_ = flags & Value::flag_mask;
}
GRAFT_INLINE void Undo::DeclareType::undo() const { value->flags_ = flags & Value::flag_mask; }

GRAFT_INLINE void Undo::AddValue::undo() const {
  value->graph_->names_.erase(*value);
  value->flags_ |= Value::erased_flag;
}
GRAFT_INLINE void Undo::SetInitializer::undo() const { value->initializer_ = tensor; }
GRAFT_INLINE void Undo::EraseInitializer::undo() const {
  value->flags_ &= ~Value::erased_flag & Value::flag_mask;
  value->graph_->declare(*value);
}
GRAFT_INLINE void Undo::EraseDefault::undo() const {
  value->initializer_ = tensor;
  value->flags_ |= Value::initializer_flag;
  value->graph_->initializers_[value->index_] = value;
}

GRAFT_INLINE void Undo::SetSignature::undo() const {
  graph->inputs_ = signature->inputs;
  graph->input_infos_ = signature->input_infos;
  graph->output_infos_ = signature->output_infos;
}
GRAFT_INLINE void Undo::RemoveInput::undo() const {
  if (value->erased()) value->graph_->declare(*value);
  value->flags_ = flags & Value::flag_mask;
}
GRAFT_INLINE void Undo::Mark::undo() const { *changed = false; }

GRAFT_INLINE void Undo::AddFunction::undo() const {
  store->functions.back()->dropped_ = true;
  store->functions.pop_back();
}
GRAFT_INLINE void Undo::DropFunction::undo() const {
  function->dropped_ = false;
  auto& functions = function->store_->functions;
  functions.insert(functions.begin() + static_cast<std::ptrdiff_t>(place), function);
}
GRAFT_INLINE void Undo::SetIrVersion::undo() const { store->ir_version = version; }
GRAFT_INLINE void Undo::AddOpset::undo() const { store->imports.pop_back(); }
GRAFT_INLINE void Undo::SetOpset::undo() const { store->imports[place].version = version; }
GRAFT_INLINE void Undo::DropOpset::undo() const {
  store->imports.insert(store->imports.begin() + static_cast<std::ptrdiff_t>(place), store->dropped_imports.back());
  store->dropped_imports.pop_back();
}
GRAFT_INLINE void Undo::AddMetadata::undo() const { store->metadata.pop_back(); }

}  // namespace graft::inline v1::detail
