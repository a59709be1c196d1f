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
#include <graft/graph/detail/commit.ipp>
#include <graft/graph/detail/external_tensors.hpp>
#include <graft/graph/detail/externalized.hpp>
#include <graft/graph/detail/inlined.hpp>
#include <graft/graph/detail/message_file.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

namespace detail {

/// Throws Error for a version beyond int.
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

GRAFT_INLINE void Model::open(const std::string& folder, const LoadOptions& options) {
  detail::Store& store = *store_;
  try {
    detail::check_versions(*store.proto);
  } catch (Error& error) {
    throw error.file(store.file);
  }
  store.external.emplace(folder, options.allow_outside_folder, options.scratch_folder);
  store.ir_version = static_cast<int>(store.proto->ir_version());
  for (const onnx::OperatorSetIdProto& import : store.proto->opset_import()) {
    const std::string_view domain = canonical_domain(import.domain());
    const auto earlier = std::ranges::find(store.imports, domain, &detail::Import::domain);
    detail::Import& read = earlier == store.imports.end() ? store.imports.emplace_back() : *earlier;
    read = {std::string(domain), static_cast<int>(import.version())};
  }
  // Before opset imports existed (IR < 3) there was one operator set.
  if (store.imports.empty() && store.ir_version < 3) store.imports.push_back({"", 1});
  store.graphs.emplace_back(store, *store.proto->mutable_graph(), nullptr, nullptr);
  for (onnx::FunctionProto& function : *store.proto->mutable_functions())
    store.functions.push_back(&store.graphs.emplace_back(store, function));
  // Bodies join the list as they are met. A scope is linked when all names around it are known.
  for (std::size_t i = 0; i < store.graphs.size(); ++i) store.graphs[i].read_values();
  for (Graph& graph : store.graphs) graph.read_links();
  for (Graph& graph : store.graphs) graph.sort_nodes();
  if (options.scratch_folder.empty()) return;
  const std::vector<onnx::TensorProto*> tensors = stored_tensors();
  store.stows = std::any_of(tensors.begin(), tensors.end(), [](const onnx::TensorProto* tensor) {
    return tensor->data_location() == onnx::TensorProto::EXTERNAL;
  });
}

GRAFT_INLINE Model::Model(onnx::ModelProto proto, const ExternalData& data)
    : Model(std::make_unique<onnx::ModelProto>(std::move(proto)), data.folder(), "",
            {.allow_outside_folder = data.allows_outside()}) {
  store_->external = data.branch();
}

GRAFT_INLINE Model Model::load(const std::string& path, const LoadOptions& options) {
  auto proto = std::make_unique<onnx::ModelProto>();
  detail::read_message(path, *proto, "model",
                       {options.most_bytes, options.most_memory.value_or(physical_memory())},
                       "; store its weights as external data");
  if (!proto->has_graph()) throw Error("holds no graph: it is no ONNX model").field("graph").file(path);
  Model model(std::move(proto), std::filesystem::path(path).parent_path().string(), path, options);
  // Another load of the file may be saved in its place, and then the data files have the same names again.
  for (const onnx::TensorProto* const tensor : model.stored_tensors())
    for (const onnx::StringStringEntryProto& entry : tensor->external_data())
      if (entry.key() == "location") model.store_->external->look_at(entry.value());
  const std::size_t most = options.most_nested;
  for (const Graph& graph : model.store_->graphs)
    if (graph.depth_ > most)
      throw Error("nests bodies deeper than the limit of " + std::to_string(most) + " levels").file(path);
  return model;
}

namespace detail {

/// What the view holds of a model beside its graphs, into a proto.
inline void write_versions(const Store& store, onnx::ModelProto& proto) {
  if (proto.ir_version() != store.ir_version) proto.set_ir_version(store.ir_version);
  const auto is_dropped = [&](const onnx::OperatorSetIdProto& present) {
    const std::string_view domain = canonical_domain(present.domain());
    return std::ranges::find(store.imports, domain, &Import::domain) == store.imports.end() &&
           std::ranges::find(store.dropped_imports, domain, &Import::domain) != store.dropped_imports.end();
  };
  auto& imported = *proto.mutable_opset_import();
  imported.erase(std::remove_if(imported.begin(), imported.end(), is_dropped), imported.end());
  for (const Import& import : store.imports) {
    bool found = false;
    for (onnx::OperatorSetIdProto& present : *proto.mutable_opset_import()) {
      if (canonical_domain(present.domain()) != import.domain) continue;
      found = true;
      if (present.version() != import.version) present.set_version(import.version);
    }
    if (found || (proto.opset_import().empty() && import.version == 1 && store.ir_version < 3)) continue;
    onnx::OperatorSetIdProto& added = *proto.add_opset_import();
    added.set_domain(import.domain);
    added.set_version(import.version);
  }
  for (const auto& [key, value] : store.metadata) {
    onnx::StringStringEntryProto* entry = nullptr;
    for (onnx::StringStringEntryProto& present : *proto.mutable_metadata_props())
      if (present.key() == key) entry = &present;
    if (entry == nullptr) entry = proto.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
}

}  // namespace detail

GRAFT_INLINE Model Model::clone() {
  const detail::Store& store = *store_;
  if (store.journal.recording()) throw Error("cannot be copied inside an open transaction").file(store.file);
  const LoadOptions options{.allow_outside_folder = store.external->allows_outside()};
  if (!is_view()) {
    Model copy(std::make_unique<onnx::ModelProto>(commit()), store.external->folder(), store.file, options);
    copy.store_->reordered = store.reordered;
    copy.store_->external = store.external->branch();
    copy.store_->stows = store.stows;
    return copy;
  }
  // Of a view, whose proto stays as it is. What an edit has not reached is copied as the proto has it.
  struct Writer {
    static void write(const Graph& from, google::protobuf::RepeatedPtrField<onnx::NodeProto>& to) {
      to.Clear();
      for (const Node& node : from.nodes()) {
        onnx::NodeProto& copy = *to.Add();
        copy = node.proto();
        copy.clear_input();
        copy.clear_output();
        for (const Value* const input : node.inputs()) copy.add_input(input ? std::string(input->name()) : "");
        for (const Value& output : node.outputs()) copy.add_output(std::string(output.name()));
        for (onnx::AttributeProto& attribute : *copy.mutable_attribute()) {
          const bool lists = attribute.graphs_size() != 0 || attribute.type() == onnx::AttributeProto::GRAPHS;
          if (node.body(attribute.name()) != nullptr) attribute.clear_graphs();
          for (const Body& body : node.bodies())
            if (body.attribute == attribute.name())
              write(*body.graph, lists ? *attribute.add_graphs() : *attribute.mutable_g());
        }
      }
    }
    static void write(const Graph& from, onnx::GraphProto& to) {
      to = *from.proto();
      write(from, *to.mutable_node());
      to.clear_initializer();
      for (const Value* const value : from.initializers()) {
        onnx::TensorProto& copy = *to.add_initializer();
        copy = *value->initializer();
        copy.set_name(std::string(value->name()));
      }
      to.clear_input();
      to.clear_output();
      // As commit() does: an entry stays as it is but for a type that was declared since, and inferred ones stay out.
      std::unordered_set<const Value*> written;
      const auto is_declared = [](const Value& value) { return (value.flags_ & Value::declared_flag) != 0; };
      const auto is_retyped = [](const Value& value) { return (value.flags_ & Value::retyped_flag) != 0; };
      const auto update = [&](onnx::ValueInfoProto& copy, const Value& value) {
        copy.set_name(std::string(value.name()));
        written.insert(&value);
        if (!from.infos_changed_ || !is_retyped(value)) return;
        if (is_declared(value)) *copy.mutable_type() = *value.type_;
        else copy.clear_type();
      };
      for (std::size_t i = 0; i < from.inputs_.size(); ++i)
        update(*to.add_input() = *from.input_infos_[i], *from.inputs_[i]);
      for (std::size_t i = 0; i < from.output_infos_.size(); ++i) {
        onnx::ValueInfoProto& copy = *to.add_output() = *from.output_infos_[i];
        if (const Value* const value = from.output(i)) update(copy, *value);
      }
      if (!from.infos_changed_) return;
      to.clear_value_info();
      for (const onnx::ValueInfoProto& info : from.proto()->value_info()) {
        const Value* const value = from.names_.find(info.name());
        if (value == nullptr || (is_retyped(*value) && !is_declared(*value))) continue;
        if (info.has_type() && !value->is_graph_input() && !is_declared(*value)) continue;  // another bore the name
        update(*to.add_value_info() = info, *value);
      }
      const auto declare_new = [&](const Value& value) {
        if (!is_retyped(value) || !is_declared(value) || value.name().empty() || written.contains(&value)) return;
        update(*to.add_value_info(), value);
      };
      for (const Node& node : from.nodes())
        for (const Value& value : node.outputs()) declare_new(value);
      for (const Value* const value : from.initializers()) declare_new(*value);
    }
    static void write(const Graph& from, onnx::FunctionProto& to) {
      to = *from.function_proto();
      write(from, *to.mutable_node());
      to.clear_input();
      to.clear_output();
      for (const Value* const input : from.inputs()) to.add_input(std::string(input->name()));
      for (const Value* const output : from.outputs()) to.add_output(output ? std::string(output->name()) : "");
    }
  };
  auto proto = std::make_unique<onnx::ModelProto>(*store.proto);
  Writer::write(graph(), *proto->mutable_graph());
  proto->clear_functions();
  for (const Graph* const function : store.functions) Writer::write(*function, *proto->add_functions());
  detail::write_versions(store, *proto);
  Model copy(std::move(proto), store.external->folder(), store.file, options);
  copy.store_->reordered = store.reordered;
  return copy;
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
      throw Error("is no local function of the model").field(function->name()).file(store_->file);
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
  if (store_->proto->training_info_size() != 0) return false;  // its graphs are not looked into
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

/// Protobuf writes what it does not read again. What lies inside the innermost body counts too: near the limit the
/// model is read to see.
GRAFT_INLINE void Model::check_nesting() const {
  constexpr std::uint32_t most = detail::nesting_limit / detail::messages_per_graph;  // the graph is 1 deep itself
  constexpr std::uint32_t surely_fine = most - 5;  // 15 messages deep in an innermost body: types of types of types
  std::uint32_t deepest = 0;
  for (const Graph* const graph : scopes()) deepest = std::max(deepest, graph->depth_);
  if (deepest <= surely_fine) return;
  bool readable = deepest <= most;
  if (readable && store_->proto->ByteSizeLong() <= detail::message_limit) {
    std::string bytes;
    readable = store_->proto->SerializePartialToString(&bytes) && onnx::ModelProto().ParsePartialFromString(bytes);
  }
  if (!readable)
    throw Error("nests bodies " + std::to_string(deepest) + " levels deep: protobuf reads " + std::to_string(most) +
                " at most, and less where types or attributes are nested in the innermost")
        .file(store_->file);
}

GRAFT_INLINE std::string Model::serialize() {
  commit();
  check_nesting();
  const std::vector<onnx::TensorProto*> tensors = stored_tensors();
  if (store_->proto->ByteSizeLong() + detail::Inlined::size(tensors) > detail::message_limit)
    throw Error("is over 2 GiB and cannot be one message").file(store_->file);
  detail::Inlined inlined;
  inlined.take(tensors, *store_->external);
  std::string bytes;
  store_->proto->SerializeToString(&bytes);
  return bytes;
}

/// Those that may stand in data files: initializers, and what attributes, sparse initializers and training_info already
/// keep there.
GRAFT_INLINE std::vector<onnx::TensorProto*> Model::stored_tensors() const {
  std::vector<onnx::TensorProto*> tensors;
  detail::ExternalTensors external(tensors);
  for (Graph* const graph : scopes()) {
    for (Value* const value : graph->initializers()) tensors.push_back(value->initializer_);
    if (graph->graph_proto_ != nullptr)
      for (onnx::SparseTensorProto& tensor : *graph->graph_proto_->mutable_sparse_initializer()) external.add(tensor);
    for (Node& node : graph->nodes())
      for (onnx::AttributeProto& attribute : *node.proto_->mutable_attribute()) external.add(attribute);
  }
  for (onnx::TrainingInfoProto& training : *store_->proto->mutable_training_info()) {
    if (training.has_initialization()) external.add(*training.mutable_initialization());
    if (training.has_algorithm()) external.add(*training.mutable_algorithm());
  }
  return tensors;
}

GRAFT_INLINE void Model::save(const std::string& path, const SaveOptions& options) {
  commit();
  check_nesting();
  const std::vector<onnx::TensorProto*> tensors = stored_tensors();
  try {
    detail::Externalized data(tensors, *store_->external, path);
    data.move_along();
    if (options.external_data_over) data.move_out(*options.external_data_over);
    if (store_->proto->ByteSizeLong() > detail::message_limit) {
      if (!options.externalize_oversize)
        throw Error("is over 2 GiB: protobuf cannot write it without external data").file(path);
      data.move_out(1024);
    }
    if (store_->proto->ByteSizeLong() > detail::message_limit)
      throw Error("is over 2 GiB even without the raw data of its initializers").file(path);
    FileAside model(path);
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
