#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/atomic_file.hpp>
#include <graft/graph/detail/externalized.hpp>
#include <graft/graph/detail/inlined.hpp>
#include <graft/graph/detail/message_file.hpp>
#include <graft/graph/detail/nesting_limit.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/detail/written_versions.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/whole_file.hpp>

namespace graft::inline v1 {

GRAFT_INLINE onnx::ModelProto& Model::commit() {
  detail::Store& store = *store_;
  if (store.journal.recording()) throw Error("cannot be committed inside an open transaction").file(store.file);
  store.move_bodies();
  std::vector<Graph*> alive = scopes();
  for (Graph* const graph : alive) graph->write_names();
  for (Graph* const graph : alive) graph->commit();
  onnx::ModelProto& proto = *store.proto;
  if (store.functions_changed) {
    std::vector<onnx::FunctionProto*> wanted;
    for (Graph* const function : store.functions) wanted.push_back(function->function_proto_);
    store.assign(*proto.mutable_functions(), wanted);
    store.functions_changed = false;
  }
  store.settle();
  detail::write_versions(store, proto);
  store.dropped_imports.clear();
  store.metadata.clear();
  return proto;
}

/// Protobuf writes deeper messages than it reads. Messages inside the innermost body count too, so a model near the
/// limit is read back as a test.
GRAFT_INLINE void Model::check_nesting() const {
  constexpr std::uint32_t most = detail::nesting_limit / detail::messages_per_graph;  // the graph itself is 1 deep
  constexpr std::uint32_t surely_fine = most - 5;  // up to 15 messages inside an innermost body: nested types
  std::uint32_t deepest = 0;
  for (const Graph* const graph : scopes()) deepest = std::max(deepest, graph->depth_);
  if (deepest <= surely_fine) return;
  bool readable = deepest <= most;
  if (readable && store_->proto->ByteSizeLong() <= file_limit) {
    std::string bytes;
    readable = store_->proto->SerializePartialToString(&bytes) && onnx::ModelProto().ParsePartialFromString(bytes);
  }
  if (!readable)
    throw Error("nests bodies " + std::to_string(deepest) + " levels deep: protobuf reads " + std::to_string(most) +
                " at most, and fewer if the innermost body nests types or attributes")
        .file(store_->file);
}

GRAFT_INLINE std::string Model::serialize() {
  commit();
  check_nesting();
  const std::vector<onnx::TensorProto*> tensors = stored_tensors();
  if (store_->proto->ByteSizeLong() + detail::Inlined::size(tensors) > file_limit)
    throw Error("is over 2 GiB and cannot be one message").file(store_->file);
  detail::Inlined inlined;
  inlined.take(tensors, store_->external);
  return store_->proto->SerializeAsString();
}

/// The tensors that may be in data files: initializers, and tensors of attributes, sparse initializers and
/// training_info that are external already.
GRAFT_INLINE std::vector<onnx::TensorProto*> Model::stored_tensors() const {
  std::vector<onnx::TensorProto*> tensors;
  const auto is_location = [](const onnx::StringStringEntryProto& entry) {
    return entry.key() == "location" && !entry.value().empty();
  };
  const auto add_external = [&](onnx::TensorProto& tensor) {  // a tensor without a location stays
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL &&
        std::ranges::any_of(tensor.external_data(), is_location))
      tensors.push_back(&tensor);
  };
  for (Graph* const graph : scopes()) {
    for (Value* const value : graph->initializers()) tensors.push_back(value->initializer_);
    if (graph->graph_proto_ != nullptr)
      for (onnx::SparseTensorProto& tensor : *graph->graph_proto_->mutable_sparse_initializer())
        for_each_tensor(tensor, add_external);
    for (Node& node : graph->nodes())
      for (onnx::AttributeProto& attribute : *node.proto_->mutable_attribute())
        for_each_tensor(attribute, add_external);
  }
  for (onnx::TrainingInfoProto& training : *store_->proto->mutable_training_info()) {
    if (training.has_initialization()) for_each_tensor(*training.mutable_initialization(), add_external);
    if (training.has_algorithm()) for_each_tensor(*training.mutable_algorithm(), add_external);
  }
  return tensors;
}

GRAFT_INLINE void Model::save(const std::string& path, const SaveOptions& options) {
  commit();
  check_nesting();
  const std::vector<onnx::TensorProto*> tensors = stored_tensors();
  try {
    detail::Externalized data(tensors, store_->external, path);
    data.move_along();
    if (options.external_data_over) data.move_out(*options.external_data_over);
    if (store_->proto->ByteSizeLong() > file_limit) {
      if (!options.externalize_oversize)
        throw Error("is over 2 GiB: protobuf cannot write it without external data").file(path);
      data.move_out(1024);
    }
    if (store_->proto->ByteSizeLong() > file_limit)
      throw Error("is over 2 GiB even without the raw data of its initializers").file(path);
    AtomicFile model(path);
    detail::write_message(*store_->proto, model.path(), path);
    data.keep(model.path());
    data.write();
    data.publish();
    model.publish();
    data.finish();
  } catch (Error& error) {
    throw error.file(store_->file);
  }
}

}  // namespace graft::inline v1
