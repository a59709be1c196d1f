#pragma once
#include <graft/graph/local_functions.hpp>

#include <graft/config.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

GRAFT_INLINE LocalFunctions::LocalFunctions(const Model& model) {
  for (Graph* const function : model.functions()) {
    const onnx::FunctionProto& proto = *function->function_proto();
    by_op_[model.find_op(proto.domain(), proto.name())].emplace(overload_of(proto), function);
  }
}

GRAFT_INLINE Graph* LocalFunctions::called_by(const Node& node) const {
  const auto overloads = by_op_.find(node.op());  // most nodes end here; reading an overload is slow
  return overloads == by_op_.end() ? nullptr : find(overloads->second, overload_of(node.proto()));
}

GRAFT_INLINE Graph* LocalFunctions::called_as(const Graph& function) const {
  const onnx::FunctionProto& proto = *function.function_proto();
  const auto overloads = by_op_.find(function.model().find_op(proto.domain(), proto.name()));
  return overloads == by_op_.end() ? nullptr : find(overloads->second, overload_of(proto));
}

GRAFT_INLINE Graph* LocalFunctions::find(const Overloads& overloads, const std::string& overload) {
  const auto found = overloads.find(overload);
  return found == overloads.end() ? nullptr : found->second;
}

}  // namespace graft::inline v1
