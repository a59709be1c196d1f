#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/message_file.hpp>
#include <graft/graph/detail/paths.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

namespace detail {

/// Throws Error for a version that int cannot hold.
inline void check_imports(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports) {
  for (const onnx::OperatorSetIdProto& import : imports) {
    if (!std::in_range<int>(import.version()))
      throw Error("version " + std::to_string(import.version()) + " is out of range").field("opset_import");
  }
}

inline void check_versions(const onnx::ModelProto& proto) {
  if (!std::in_range<int>(proto.ir_version()))
    throw Error("version " + std::to_string(proto.ir_version()) + " is out of range").field("ir_version");
  check_imports(proto.opset_import());
  for (const onnx::FunctionProto& function : proto.functions()) check_imports(function.opset_import());
}

}  // namespace detail

GRAFT_INLINE void Model::open() {
  detail::Store& store = *store_;
  try {
    detail::check_versions(*store.proto);
  } catch (Error& error) {
    throw error.file(store.file);
  }
  store.ir_version = static_cast<int>(store.proto->ir_version());
  for (const onnx::OperatorSetIdProto& import : store.proto->opset_import()) {
    const std::string_view domain = canonical_domain(import.domain());
    const auto earlier = std::ranges::find(store.imports, domain, &detail::Import::domain);
    detail::Import& read = earlier == store.imports.end() ? store.imports.emplace_back() : *earlier;
    read = {std::string(domain), static_cast<int>(import.version())};
  }
  // Before IR 3 there were no opset imports, and only one operator set.
  if (store.imports.empty() && store.ir_version < 3) store.imports.push_back({"", 1});
  store.graphs.emplace_back(store, *store.proto->mutable_graph(), nullptr, nullptr);
  for (onnx::FunctionProto& function : *store.proto->mutable_functions())
    store.functions.push_back(&store.graphs.emplace_back(store, function));
  // Bodies are appended during the loop. A scope is linked once all enclosing names are known.
  for (std::size_t i = 0; i < store.graphs.size(); ++i) store.graphs[i].read_values();
  for (Graph& graph : store.graphs) graph.read_links();
  for (Graph& graph : store.graphs) graph.sort_nodes();
}

GRAFT_INLINE Model::Model(onnx::ModelProto proto, const ExternalData& data)
    : Model(std::make_unique<onnx::ModelProto>(std::move(proto)), {.external = data.branch()}) {}

GRAFT_INLINE Model::Model(onnx::ModelProto proto, const Model& origin)
    : Model(std::make_unique<onnx::ModelProto>(std::move(proto)),
            {.external = origin.external_data()->branch(), .operators = origin.operators()}) {}

GRAFT_INLINE Model Model::load(const std::string& path, const LoadOptions& options) {
  auto proto = std::make_unique<onnx::ModelProto>();
  detail::read_message(path, *proto, detail::MessageKind::model, "model",
                       {options.max_bytes, options.max_memory.value_or(physical_memory())},
                       "; store its weights as external data");
  if (!proto->has_graph()) throw Error("holds no graph: it is not an ONNX model").field("graph").file(path);
  const std::string folder = detail::platform::text_of(detail::platform::path_of(path).parent_path());
  Model model(std::move(proto),
              {.file = path, .external = ExternalData(folder, options.allow_outside_folder, options.scratch_folder)});
  detail::Store& store = *model.store_;
  // Data files are recorded now, because another model saved over this file may reuse their names.
  for (const onnx::TensorProto* const tensor : model.stored_tensors()) {
    for (const onnx::StringStringEntryProto& entry : tensor->external_data())
      if (entry.key() == "location") store.external.look_at(entry.value());
    store.stows |= !options.scratch_folder.empty() && tensor->data_location() == onnx::TensorProto::EXTERNAL;
  }
  const std::size_t most = options.max_nested;
  for (const Graph& graph : store.graphs)
    if (graph.depth_ > most)
      throw Error("nests bodies deeper than the limit of " + std::to_string(most) + " levels").file(path);
  return model;
}

GRAFT_INLINE void Model::revert() {
  detail::Store& old = *store_;
  if (old.journal.recording()) throw Error("cannot be reverted inside an open transaction").file(old.file);
  detail::BesideProto beside = old;
  *this = old.owned ? Model(std::move(old.owned), std::move(beside)) : Model(old.proto, std::move(beside));
}

GRAFT_INLINE Graph* Model::find_function(std::string_view op, std::string_view overload) const {
  const OpName name = OpName::parse(op);
  for (Graph* const function : store_->functions) {
    const onnx::FunctionProto& proto = *function->function_proto_;
    if (proto.name() == name.op_type && canonical_domain(proto.domain()) == name.domain &&
        overload_of(proto) == overload)
      return function;
  }
  return nullptr;
}

GRAFT_INLINE std::vector<Graph*> Model::scopes() const {
  std::vector<Graph*> result;
  for (Graph& graph : store_->graphs)
    if (graph.reachable()) result.push_back(&graph);
  return result;
}

GRAFT_INLINE Graph& Model::add_function(onnx::FunctionProto function) {
  detail::Store& store = *store_;
  if (find_function(to_string(OpName{canonical_domain(function.domain()), function.name()}), overload_of(function)))
    throw Error("there is a function '" + function.name() + "' already").file(store.file).field("functions");
  onnx::FunctionProto& stored = store.create<onnx::FunctionProto>();
  stored = std::move(function);
  const std::size_t first = store.graphs.size();
  Graph& added = store.graphs.emplace_back(store, stored);
  for (std::size_t i = first; i < store.graphs.size(); ++i) store.graphs[i].read_values();
  for (std::size_t i = first; i < store.graphs.size(); ++i) store.graphs[i].read_links();
  for (std::size_t i = first; i < store.graphs.size(); ++i) store.graphs[i].sort_nodes();
  store.functions.push_back(&added);
  store.functions_changed = true;
  store.journal.record(detail::Undo::AddFunction{store_.get()});
  return added;
}

GRAFT_INLINE void Model::remove_functions(std::span<Graph* const> functions) {
  auto& present = store_->functions;
  const std::unordered_set<const Graph*> own(present.begin(), present.end());
  for (const Graph* const function : functions)
    if (!own.contains(function))
      throw Error("is not a local function of the model").field(function->name()).file(store_->file);
  for (Graph* const function : functions) function->dropped_ = true;
  for (std::size_t i = present.size(); i-- > 0;)
    if (present[i]->dropped_) store_->journal.record(detail::Undo::DropFunction{present[i], i});
  store_->functions_changed |= std::erase_if(present, [](const Graph* function) { return function->dropped_; }) != 0;
}

GRAFT_INLINE void Model::set_ir_version(int version) {
  if (ir_version() < 4 && version >= 4) {
    for (Graph* const graph : scopes()) {
      const std::vector<Value*> inputs(graph->inputs().begin(), graph->inputs().end());
      for (Value* const input : inputs)
        if (input->initializer() != nullptr) graph->remove_input(*input);
    }
  }
  store_->journal.record(detail::Undo::SetIrVersion{store_.get(), store_->ir_version});
  store_->ir_version = version;
}

GRAFT_INLINE void Model::set_opset(int version, std::string_view domain) {
  domain = canonical_domain(domain);
  for (std::size_t i = 0; i < store_->imports.size(); ++i) {
    detail::Import& import = store_->imports[i];
    if (import.domain != domain) continue;
    if (import.version != version) store_->journal.record(detail::Undo::SetOpset{store_.get(), i, import.version});
    import.version = version;
    return;
  }
  store_->imports.push_back({std::string(domain), version});
  store_->journal.record(detail::Undo::AddOpset{store_.get()});
}

GRAFT_INLINE bool Model::drop_unused_opset(std::string_view domain) {
  domain = canonical_domain(domain);
  const auto found = std::ranges::find(store_->imports, domain, &detail::Import::domain);
  if (found == store_->imports.end()) return false;
  if (store_->proto->training_info_size() != 0) return false;  // graft does not look into its graphs
  for (const Graph* const graph : scopes())
    for (const Node& node : graph->nodes())
      if (node.domain() == domain) return false;
  const auto place = static_cast<std::size_t>(found - store_->imports.begin());
  store_->dropped_imports.push_back(std::move(*found));
  store_->imports.erase(found);
  store_->journal.record(detail::Undo::DropOpset{store_.get(), place});
  return true;
}

GRAFT_INLINE void Model::set_metadata(std::string_view key, std::string_view value) {
  store_->metadata.emplace_back(key, value);
  store_->journal.record(detail::Undo::AddMetadata{store_.get()});
}

GRAFT_INLINE std::size_t Model::view_bytes() const {
  std::size_t bytes = store_->pool.bytes() + sizeof(detail::Store);
  for (const Graph& graph : store_->graphs) bytes += graph.view_bytes();
  return bytes;
}

}  // namespace graft::inline v1
