#pragma once
#include <graft/surgery/to_float32.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/no_op.hpp>

namespace graft::inline v1 {

namespace detail {

constexpr bool is_narrow_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// Whether the type had 16-bit floats: tensors, sequences and optionals of them.
inline bool widen(onnx::TypeProto& type) {
  if (type.has_sequence_type()) return widen(*type.mutable_sequence_type()->mutable_elem_type());
  if (type.has_optional_type()) return widen(*type.mutable_optional_type()->mutable_elem_type());
  if (!type.has_tensor_type() || !is_narrow_float(static_cast<DType>(type.tensor_type().elem_type()))) return false;
  type.mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return true;
}

class Float32Converter {
 public:
  explicit Float32Converter(Model& model) : model_(model) {}

  Report run() {
    Graph& graph = model_.graph();
    if (const Value* const value = uncastable()) {
      Report report;
      report.notes.push_back(
          "'" + std::string(value->name()) +
          "' has 16-bit floats, but is not a tensor, so Cast does not support it: nothing became float32");
      return report;
    }
    const std::vector<std::pair<std::size_t, onnx::TypeProto>> narrow = narrow_outputs();
    for (Graph* const scope : model_.scopes()) widen_tensors(*scope);
    for (Value* const input : graph.inputs())
      if (input->type() != nullptr && is_narrow_float(input->dtype())) cast_input(*input);
    for (const auto& [output, type] : narrow) cast_output(output, type);
    pass_names_on();
    Report report;
    report.changes = tensors_ + casts_ + dtypes_;
    if (report.changes != 0)
      report.notes.push_back(std::to_string(tensors_) + " tensors of 16-bit floats became float32, " +
                             std::to_string(casts_) + " inputs and outputs of the graph keep their dtype");
    return report;
  }

 private:
  /// Whether the value keeps its dtype: callers feed it, with its default, or receive it.
  bool stays_narrow(const Value& value) const {
    return value.is_graph_input() && &value.graph() == &model_.graph() &&
           (!value.is_constant() || value.is_graph_output());
  }

  /// A graph input or output that is a sequence or optional of 16-bit floats.
  const Value* uncastable() const {
    const auto is_one = [](const Value* value) {
      if (value == nullptr || value->type() == nullptr || value->type()->has_tensor_type()) return false;
      onnx::TypeProto type = *value->type();
      return widen(type);
    };
    const auto inputs = model_.graph().inputs();
    const auto input = std::find_if(inputs.begin(), inputs.end(), is_one);
    if (input != inputs.end()) return *input;
    for (const Value* const output : model_.graph().outputs())
      if (is_one(output)) return output;
    return nullptr;
  }

  /// Graph outputs from nodes or constants.
  std::vector<std::pair<std::size_t, onnx::TypeProto>> narrow_outputs() const {
    std::vector<std::pair<std::size_t, onnx::TypeProto>> result;
    const Graph& graph = model_.graph();
    for (std::size_t i = 0; i < graph.output_count(); ++i) {
      const Value* const value = graph.output(i);
      if (value != nullptr && is_narrow_float(value->dtype()) && !stays_narrow(*value))
        result.emplace_back(i, value->type() != nullptr ? *value->type() : tensor_type(value->dtype(), value->shape()));
    }
    return result;
  }

  void widen_tensors(Graph& scope) {
    for (Value* const value : scope.initializers()) {
      if (!is_narrow_float(value->dtype()) || stays_narrow(*value)) continue;
      const Tensor tensor = read_tensor(*value->initializer(), model_.external_data());
      scope.set_initializer(*value, Tensor::of(DType::f32, tensor.dims(), tensor.to<float>()));
      ++tensors_;
      widen_type(*value);
    }
    for (Value* const input : scope.inputs())
      if (!stays_narrow(*input)) widen_type(*input);
    for (Node& node : scope.nodes()) {
      widen_attributes(node);
      for (Value& output : node.outputs()) widen_type(output);
    }
  }

  static void widen_type(Value& value) {
    if (value.type() == nullptr) return;
    onnx::TypeProto type = *value.type();
    if (widen(type)) value.graph().declare_type(value, type);
  }

  /// Widens constants, and dtypes in attributes.
  void widen_attributes(Node& node) {
    constexpr std::array<std::string_view, 6> dtypes{
        "to", "dtype", "output_dtype", "output_datatype", "stash_type", "softmax_precision"};
    const auto is_narrow = [](std::int64_t dtype) { return is_narrow_float(static_cast<DType>(dtype)); };
    std::vector<Attribute> widened;
    for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
      if (attribute.has_t() && is_narrow(attribute.t().data_type())) {
        const Tensor tensor = read_tensor(attribute.t(), model_.external_data());
        widened.emplace_back(attribute.name(), Tensor::of(DType::f32, tensor.dims(), tensor.to<float>()));
        ++tensors_;
      } else if (attribute.has_i() && is_narrow(attribute.i()) &&
                 std::find(dtypes.begin(), dtypes.end(), attribute.name()) != dtypes.end()) {
        widened.emplace_back(attribute.name(), DType::f32);
        ++dtypes_;
      }
    }
    for (const Attribute& attribute : widened) node.graph().set_attribute(node, attribute);
  }

  void cast_input(Value& input) {
    Graph& graph = input.graph();
    Node& cast = graph.insert("Cast", {&input}, 1, {{"to", DType::f32}}, graph.first_node(),
                              std::string(input.name()) + "_float32");
    Value& wide = *cast.output(0);
    onnx::TypeProto type = *input.type();
    widen(type);
    graph.set_type(wide, type);
    for (Use& use : input.uses()) {
      if (use.user() == &cast || (use.is_graph_output() && &use.graph() == &graph)) continue;
      if (use.is_graph_output()) {
        use.graph().set_output(use.index(), wide);
      } else if (!use.graph().set_input(use, &wide)) {
        throw Error("a Cast after it would close a cycle").field(input.name());
      }
    }
    ++casts_;
  }

  void cast_output(std::size_t i, const onnx::TypeProto& type) {
    Graph& graph = model_.graph();
    Value& wide = *graph.output(i);
    Value*& narrow = narrowed_[&wide];
    const bool is_new = narrow == nullptr;
    if (is_new) narrow = graph.insert("Cast", {&wide}, 1, {{"to", type.tensor_type().elem_type()}}).output(0);
    graph.set_output(i, *narrow);
    if (!is_new) return;
    ++casts_;
    graph.declare_type(*narrow, type);
    names_.emplace_back(narrow, &wide);
  }

  /// Moves the output names. Precondition: the wide values are not outputs any more.
  void pass_names_on() {
    for (const auto& [narrow, wide] : names_) {
      Graph& graph = model_.graph();
      const std::string name(wide->name());
      graph.rename(*wide, graph.fresh_name(name + "_float32"));
      graph.rename(*narrow, name);
    }
  }

  Model& model_;
  std::unordered_map<const Value*, Value*> narrowed_;  // graph outputs, which may be repeated
  std::vector<std::pair<Value*, Value*>> names_;
  std::size_t tensors_ = 0, casts_ = 0, dtypes_ = 0;
};

}  // namespace detail

GRAFT_INLINE Pass to_float32() {
  return pass("to_float32",
              [](Graph& graph, Context& context) {
                infer_shapes(graph, context.infer_options());
                Transaction transaction(graph);
                Report report = detail::Float32Converter(graph.model()).run();
                if (report.changes != 0) report.changes += fixpoint(remove_cast).run(graph, context).changes;
                transaction.keep();
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
