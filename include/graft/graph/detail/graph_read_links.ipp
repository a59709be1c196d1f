#pragma once
// Links the inputs of nodes and the outputs of a scope to the values that they name.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE bool Graph::read_link(Use& use, std::string_view name, detail::NameTable::Hash hash) {
  Value* value = nullptr;
  for (const Graph* scope = this; scope != nullptr && value == nullptr; scope = scope->parent_)
    value = scope->names_.find(name, hash);
  if (value == nullptr) return false;
  value->link(use);
  if (value->producer() == nullptr) return true;
  const Node* const user = value->graph_->user_in_scope(*use.owner_);
  if (user->proto_ != nullptr && user->key_ <= value->producer()->key_) value->graph_->unsorted_ = true;
  return true;
}

GRAFT_INLINE void Graph::read_links() {
  // In a large graph a name's slot, its value and the value's name are in no cache. So they are fetched for a block of
  // uses at once.
  struct Pending {
    Use* use;
    const std::string* name;
    detail::NameTable::Hash hash;
  };
  constexpr std::size_t block = 64;
  Pending pending[block];
  std::size_t count = 0;
  const auto flush = [&] {
    for (std::size_t i = 0; i < count; ++i)
      if (const Value* const value = names_.guess(pending[i].hash)) builtins::prefetch(value);
    for (std::size_t i = 0; i < count; ++i)
      if (const Value* const value = names_.guess(pending[i].hash)) builtins::prefetch(value->name_);
    for (const Pending& link : std::span(pending, count)) {
      if (read_link(*link.use, *link.name, link.hash)) continue;
      throw Error("reads '" + *link.name + "', which nothing defines")
          .node(display_name(*link.use->owner_->proto_)).field("input[" + std::to_string(link.use->index()) + "]")
          .file(store_->file);
    }
    count = 0;
  };
  for (Node* node = end_.next_; node != &end_; node = node->next_) {
    for (std::size_t i = 0; i < node->input_count_; ++i) {
      const std::string& name = node->proto_->input(static_cast<int>(i));
      if (name.empty()) continue;
      pending[count] = {&node->uses_[i], &name, detail::NameTable::hash(name)};
      names_.prefetch(pending[count].hash);
      if (++count == block) flush();
    }
  }
  flush();
  const int outputs = graph_proto_ ? graph_proto_->output_size() : function_proto_->output_size();
  end_.uses_ = new_uses(end_, static_cast<std::size_t>(outputs));
  end_.input_count_ = static_cast<std::uint32_t>(outputs);
  for (int i = 0; i < outputs; ++i) {
    onnx::ValueInfoProto* const info = graph_proto_ ? graph_proto_->mutable_output(i) : nullptr;
    output_infos_.push_back(info);
    const std::string& name = info ? info->name() : function_proto_->output(i);
    if (!name.empty() && read_link(end_.uses_[i], name, detail::NameTable::hash(name))) continue;
    Error error(name.empty() ? "a graph output has no name" : "the graph output '" + name + "' is not defined");
    throw error.field("graph.output[" + std::to_string(i) + "]").file(store_->file);
  }
  read_annotations();
}

}  // namespace graft::inline v1
