#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/operators.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Builds a model in C++:
///
///   Builder b(17);
///   Value& x = b.input("x", DType::f32, {1, 3, "H", "W"});
///   Value& w = b.constant(Tensor::of<float>({4, 3, 1, 1}, weights), "w");
///   b.output(b.op("Relu", {&b.op("Conv", {&x, &w}, {{"strides", Ints{2, 2}}})}), "y");
///   Model model = b.build();
///
class Builder {
 public:
  /// opset: the version of the main domain.
  explicit Builder(int opset, std::string_view name = "graph") : model_(empty(opset, name)) {}

  Graph& graph() { return model().graph(); }
  void import(std::string_view domain, int version) { model().set_opset(version, domain); }
  void add_operators(const Operators& operators) { model().add_operators(operators); }

  Value& input(std::string_view name, DType dtype, std::vector<Dim> dims) {
    return graph().add_input(name, tensor_type(dtype, Shape(std::move(dims))));
  }
  /// A graph input of unknown rank.
  Value& input(std::string_view name, DType dtype) { return graph().add_input(name, tensor_type(dtype)); }
  /// Adds an initializer of exactly this name.
  Value& constant(Tensor tensor, std::string_view name);

  /// Appends a node and returns its first output. Inputs may be nullptr (absent).
  Value& op(std::string_view op, std::initializer_list<Value*> inputs, const Attributes& attributes = {}) {
    return *node(op, inputs, 1, attributes).output(0);
  }
  Node& node(std::string_view op, std::initializer_list<Value*> inputs, std::size_t outputs,
             const Attributes& attributes = {});

  /// Makes the value a graph output, under the given name if there is one.
  void output(Value& value, std::string_view name = {});

  /// Returns the finished model with inferred types. The types of its outputs are declared. Afterwards the builder is
  /// empty, and every call throws Error.
  Model build();

 private:
  static onnx::ModelProto empty(int opset, std::string_view name);

  void check_own(const Value& value) {
    if (&value.graph() != &graph()) detail::raise(Error("is a value of another graph").field(value.name()));
  }

  Model& model();

  std::optional<Model> model_;
};

}  // namespace graft::inline v1
