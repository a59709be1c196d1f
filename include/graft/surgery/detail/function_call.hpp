#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/surgery/raise_opset.hpp>

// A local function as one call means it (ONNX IR, Functions): attributes by reference have the call's values, or else
// the function's defaults, or else are absent; inputs that the call does not give are absent.

namespace graft::inline v1::detail {

/// Attributes with a default. Since IR 9.
inline std::vector<onnx::AttributeProto> defaults_of(const onnx::FunctionProto& function) {
  std::vector<onnx::AttributeProto> defaults;
  for (const std::string& bytes : newer_field(function, "attribute_proto", 11))
    if (!defaults.emplace_back().ParseFromString(bytes))
      throw Error("cannot be read").field("attribute_proto of function '" + function.name() + "'");
  return defaults;
}

class FunctionCall {
 public:
  FunctionCall(const Node& call, const Graph& function)
      : call_(call), function_(*function.function_proto()), payload_(payload_of(call)),
        defaults_(defaults_of(function_)) {
    for (std::size_t i = 0; i < function.inputs().size(); ++i)
      if (i >= call.input_count() || call.input(i) == nullptr) absent_.insert(function.inputs()[i]->name());
  }

  /// The body as a model of its own, in the caller's version of the main domain. Inputs that are absent are inputs of
  /// it all the same, which nothing reads. Throws Error if a node cannot be raised.
  Model body() const {
    onnx::ModelProto proto;
    proto.set_ir_version(10);
    *proto.mutable_opset_import() = function_.opset_import();
    onnx::GraphProto& graph = *proto.mutable_graph();
    for (int i = 0; i < function_.input_size(); ++i) {
      onnx::ValueInfoProto& info = *graph.add_input();
      info.set_name(function_.input(i));
      if (absent_.count(info.name()) != 0) continue;
      const Value& given = *call_.input(static_cast<std::size_t>(i));
      if (given.type() != nullptr) *info.mutable_type() = *given.type();
    }
    for (const std::string& name : function_.output()) graph.add_output()->set_name(name);
    *graph.mutable_node() = function_.node();
    for (onnx::NodeProto& node : *graph.mutable_node()) specialize(node);
    Model model(std::move(proto));
    const int opset = call_.graph().opset();
    if (model.opset() != 0 && model.opset() < opset) {
      infer_shapes(model.graph());
      raise_opset(model, opset);
    }
    return model;
  }

 private:
  void specialize(onnx::NodeProto& node) const {
    for (std::string& name : *node.mutable_input())
      if (absent_.count(name) != 0) name.clear();
    auto& attributes = *node.mutable_attribute();
    for (int i = attributes.size() - 1; i >= 0; --i) {
      if (is_reference(attributes[i]) && !resolve(attributes[i])) {
        attributes.DeleteSubrange(i, 1);
        continue;
      }
      if (attributes[i].has_g()) specialize(*attributes[i].mutable_g());
      for (onnx::GraphProto& graph : *attributes[i].mutable_graphs()) specialize(graph);
    }
  }
  void specialize(onnx::GraphProto& graph) const {
    for (onnx::NodeProto& node : *graph.mutable_node()) specialize(node);
  }

  /// False if the call gives no value and the function has no default.
  bool resolve(onnx::AttributeProto& attribute) const {
    const std::string name = attribute.name(), wanted = attribute.ref_attr_name();
    const auto take = [&](const auto& candidates) {
      for (const onnx::AttributeProto& candidate : candidates) {
        if (candidate.name() != wanted) continue;
        attribute = candidate;
        attribute.set_name(name);
        return true;
      }
      return false;
    };
    return take(payload_.attribute()) || take(defaults_);
  }

  const Node& call_;
  const onnx::FunctionProto& function_;
  onnx::NodeProto payload_;
  std::vector<onnx::AttributeProto> defaults_;
  std::unordered_set<std::string_view> absent_;
};

}  // namespace graft::inline v1::detail
