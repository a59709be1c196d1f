#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/surgery/detail/raise_adapters.hpp>
#include <graft/surgery/detail/raise_step.hpp>

namespace graft::inline v1::detail {

/// The oldest IR version of models that may import that version of the main domain (ONNX, docs/Versioning.md).
constexpr int ir_version_for(int opset) {
  if (opset <= 8) return 3;
  if (opset == 9) return 4;
  if (opset == 10) return 5;
  if (opset == 11) return 6;
  if (opset <= 14) return 7;
  if (opset <= 18) return 8;
  if (opset <= 20) return 9;
  if (opset <= 22) return 10;
  if (opset == 23) return 11;
  return opset == 24 ? 12 : 13;
}

inline void raise_nodes(Graph& graph, int target) {
  std::unordered_map<std::string, Value*> constants;
  const auto constant = [&](Tensor tensor, std::string_view hint) -> Value& {
    std::string key = std::to_string(static_cast<int>(tensor.dtype())) + ":";
    for (const std::int64_t dim : tensor.dims()) key += std::to_string(dim) + ",";
    key.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
    Value*& shared = constants[key];
    if (shared == nullptr) shared = &graph.add_initializer(std::move(tensor), hint);
    return *shared;
  };
  const int opset = graph.opset();
  for (Node& node : graph.nodes()) {
    if (!node.domain().empty()) continue;
    const std::string op_type(node.op_type());
    const schema::Operator* const from = schema::find("", op_type, opset);
    const schema::Operator* const to = schema::find("", op_type, target);
    if (from == nullptr || to == nullptr)
      throw Error(op_type + " is not an operator of opset " + std::to_string(opset))
          .node(display_name(node))
          .file(graph.model().file());
    if (from == to) continue;
    raise::Step step{node, *from, *to, target, constant};
    if (const raise::Adapter* const adapter = raise::find_adapter(op_type, from->since_version, target)) {
      for (const onnx::AttributeProto& attribute : node.proto().attribute())
        if (is_reference(attribute)) step.refuse("its value is a parameter of a function", attribute.name());
      adapter->run(step);
    } else if (to->deprecated()) {
      step.refuse("it is deprecated there");
    } else {
      raise::raise_parameters(step);
    }
  }
}

/// Raises the main graph, its bodies, and the versions of the model. Local functions stay.
inline void raise_main_graph(Model& model, int target) {
  if (target > schema::newest_opset)
    throw Error("opset " + std::to_string(target) + " is newer than graft supports")
        .field("opset_import")
        .file(model.file());
  Transaction transaction(model.graph());
  for (Graph* const graph : model.scopes())
    if (!raise::is_in_function(*graph)) raise_nodes(*graph, target);
  model.set_ir_version(std::max(model.ir_version(), ir_version_for(target)));
  model.set_opset(target);
  transaction.keep();
}

}  // namespace graft::inline v1::detail
