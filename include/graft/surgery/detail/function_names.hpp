#pragma once
#include <algorithm>
#include <string>

#include <graft/graph/newer_field.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/surgery/detail/proto_nodes.hpp>

namespace graft::inline v1::detail {

/// Whether a call of the one could mean the other.
inline bool is_called_as(const onnx::FunctionProto& a, const onnx::FunctionProto& b) {
  return a.name() == b.name() && canonical_domain(a.domain()) == canonical_domain(b.domain()) &&
         overload_of(a) == overload_of(b);
}

/// For functions of the one to be put to those of the other: those that are equal go, others of the same name are
/// called otherwise, with the prefix.
inline void tell_functions_apart(onnx::ModelProto& from, const onnx::ModelProto& to, const std::string& prefix) {
  const auto find = [](const onnx::ModelProto& model, const onnx::FunctionProto& function) {
    return std::find_if(model.functions().begin(), model.functions().end(),
                        [&](const onnx::FunctionProto& other) { return is_called_as(other, function); });
  };
  const bool differ = std::any_of(from.functions().begin(), from.functions().end(), [&](const auto& function) {
    const auto other = find(to, function);
    return other != to.functions().end() && other->SerializeAsString() != function.SerializeAsString();
  });
  auto& functions = *from.mutable_functions();
  for (int i = functions.size() - 1; i >= 0; --i) {
    if (find(to, functions[i]) == to.functions().end()) continue;
    if (!differ) {
      functions.DeleteSubrange(i, 1);
      continue;
    }
    const onnx::FunctionProto old = functions[i];
    onnx::FunctionProto named = old;
    do named.set_name(prefix.empty() ? named.name() + '_' : prefix + named.name());
    while (find(to, named) != to.functions().end() || find(from, named) != from.functions().end());
    functions[i].set_name(named.name());
    const auto rename = [&](onnx::NodeProto& node) {
      if (node.op_type() == old.name() && canonical_domain(node.domain()) == canonical_domain(old.domain()) &&
          overload_of(node) == overload_of(old))
        node.set_op_type(named.name());
    };
    for_each_node(*from.mutable_graph()->mutable_node(), rename);
    for (onnx::FunctionProto& function : functions) for_each_node(*function.mutable_node(), rename);
  }
}

}  // namespace graft::inline v1::detail
