#pragma once
#include <algorithm>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// What a run is given, with the dtypes of its tensors, and what it is to compute.
struct Signature {
  std::vector<std::pair<const Value*, DType>> given;
  std::vector<const Value*> wanted;
  auto operator<=>(const Signature&) const = default;
};

/// The part of a main graph that computes the wanted values, a model of its own: its inputs are those given values that
/// it reads. Inputs that have a default and are not given are constants in it.
class Extract {
 public:
  /// The model must have been committed. Throws Error naming an input that is needed, and has no value.
  Extract(const Graph& graph, const Signature& signature)
      : graph_(&graph), wanted_(signature.wanted.begin(), signature.wanted.end()) {
    for (const auto& [value, dtype] : signature.given) given_.insert(value);
    for (const Node* node = graph.last_node(); node != nullptr; node = node->prev()) {
      const auto outputs = node->outputs();
      if (std::any_of(outputs.begin(), outputs.end(), [this](const Value& output) { return is_read(output); }))
        needed_.insert(node);
    }
    add_header();
    for (const Node& node : graph.nodes())
      if (needed_.contains(&node)) add(node);
    for (const auto& [value, dtype] : signature.given)
      if (is_used(*value)) add_input(*value, dtype);
    for (const Value* const value : graph.initializers())
      if (is_read(*value)) *graph_proto().add_initializer() = *value->initializer();
    for (const Value* const input : graph.inputs()) {
      if (is_read(*input) && input->initializer() == nullptr)
        throw Error("has no value: it is neither fed nor computed").field(input->name());
    }
    for (const Value* const value : signature.wanted) graph_proto().add_output()->set_name(std::string(value->name()));
  }

  onnx::ModelProto take_proto() { return std::move(proto_); }
  /// In their order in the proto.
  const std::vector<const Value*>& inputs() const { return inputs_; }

 private:
  /// Whether anything here reads it, in bodies too.
  bool is_used(const Value& value) const {
    for (const Use& use : value.uses()) {
      const Node* user = use.user();
      for (const Graph* scope = &use.graph(); scope != graph_; scope = scope->parent()) user = scope->owner();
      if (needed_.contains(user)) return true;
    }
    return wanted_.contains(&value);
  }
  bool is_read(const Value& value) const { return !given_.contains(&value) && is_used(value); }

  onnx::GraphProto& graph_proto() { return *proto_.mutable_graph(); }

  void add_header() {
    const onnx::ModelProto& whole = graph_->model().proto();
    proto_.set_ir_version(std::max<std::int64_t>(whole.ir_version(), 4));  // from where initializers need be no inputs
    *proto_.mutable_opset_import() = whole.opset_import();
    if (whole.opset_import().empty()) proto_.add_opset_import()->set_version(1);
    *proto_.mutable_functions() = whole.functions();
    graph_proto().set_name("part");
  }

  void add(const Node& node) {
    onnx::NodeProto& copy = *graph_proto().add_node() = node.proto();
    for (const Value& output : node.outputs()) {
      if (given_.contains(&output)) copy.set_output(static_cast<int>(output.index()), free_name(output.name()));
    }
  }

  /// Graph::fresh_name() would change the graph, which others may be reading.
  std::string free_name(std::string_view hint) const {
    const std::vector<Graph*> scopes = graph_->model().scopes();
    std::string name = std::string(hint) + "__given";
    while (std::ranges::any_of(scopes, [&](const Graph* scope) { return scope->find(name) != nullptr; })) name += '_';
    return name;
  }

  void add_input(const Value& value, DType dtype) {
    inputs_.push_back(&value);
    onnx::ValueInfoProto& input = *graph_proto().add_input();
    input.set_name(std::string(value.name()));
    // Only for an input the fed tensor was checked against its type: the shape of another value may be false.
    if (value.type() != nullptr && value.is_graph_input()) *input.mutable_type() = *value.type();
    input.mutable_type()->mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(dtype));
  }

  const Graph* graph_;
  std::unordered_set<const Value*> wanted_, given_;
  std::unordered_set<const Node*> needed_;
  onnx::ModelProto proto_;
  std::vector<const Value*> inputs_;
};

}  // namespace graft::inline v1::standard_kernels::detail
