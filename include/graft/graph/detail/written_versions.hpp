#pragma once
#include <algorithm>
#include <string_view>

#include <graft/graph/detail/store.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1::detail {

/// Writes the state of a model outside its graphs to a proto.
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

}  // namespace graft::inline v1::detail
