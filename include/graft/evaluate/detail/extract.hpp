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

/// The given values of a run, with the dtypes of their tensors, and the wanted values.
struct Signature {
  std::vector<std::pair<const Value*, DType>> given;
  std::vector<const Value*> wanted;
  auto operator<=>(const Signature&) const = default;
};

/// The part of a main graph that computes the wanted values, as a separate model. Its inputs are the given values that
/// it reads. Inputs with a default that are not given are constants in it.
class Extract {
 public:
  /// The model must have been committed. Throws Error naming a needed input without a value.
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
  /// The inputs, in the order of the proto.
  const std::vector<const Value*>& inputs() const { return inputs_; }

 private:
  /// Whether a node of this part, or of its bodies, reads the value.
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
    proto_.set_ir_version(std::max<std::int64_t>(whole.ir_version(), 4));  // since 4, initializers need not be inputs
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

  /// Graph::fresh_name() would change the graph, which other threads may read.
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
    // Declares types of inputs only: their tensors were checked. The declared shape of another value may be wrong.
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
