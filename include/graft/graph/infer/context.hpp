#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer/contents.hpp>
#include <graft/graph/infer/dtype_by_schema.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

// Templates of nothing, as Graph is.
class Inference;
class KnownContents;
class InferContext;

namespace infer {
struct OperatorRule;
}

/// The view of one node for the inference of an operator: known types of its inputs, and a place for the types of
/// its outputs.
class InferContext {
 public:
  InferContext(Node& node, KnownContents& known, Inference& inference);

  /// For the contents of one output; no place for types.
  InferContext(Node& node, KnownContents& known, std::size_t output);

  Node& node() const { return node_; }
  /// The output whose contents are asked for.
  std::size_t output() const { return output_; }
  /// The version of the node's domain; the newest if the model forgot to import it.
  int opset() const;
  std::size_t input_count() const { return node_.input_count(); }
  std::size_t output_count() const { return node_.output_count(); }
  bool has(std::size_t i) const { return node_.input(i) != nullptr; }

  /// undefined for an absent input.
  DType dtype(std::size_t i) const { return has(i) ? node_.input(i)->dtype() : DType::undefined; }
  /// Of unknown rank for an absent input.
  Shape shape(std::size_t i) const { return has(i) ? node_.input(i)->shape() : Shape(); }
  /// nullptr if nothing is known.
  const onnx::TypeProto* type(std::size_t i) const { return has(i) ? node_.input(i)->type() : nullptr; }
  /// The elements of a small integer or bool input, known, symbolic or unknown one by one; nullptr if not even their
  /// number is known.
  const Contents* contents(std::size_t i) const;
  /// Of any dtype and size; nullopt if the input is absent or no constant.
  std::optional<Tensor> constant(std::size_t i) const;
  /// The elements of an integer input, if all are known.
  std::optional<Ints> ints(std::size_t i) const;
  std::optional<std::int64_t> integer(std::size_t i) const;

  /// Of this node; one that a function's body takes from the call is looked up there. nullptr if it is absent.
  const onnx::AttributeProto* attribute(std::string_view name) const;
  /// The attribute or its default at this version; nullopt if it has none.
  template <class T>
  std::optional<T> attr(std::string_view name) const {
    const onnx::AttributeProto* const given = attribute(name);
    if (given != nullptr && given == node_.attribute(name)) return node_.attr<T>(name);  // its errors name the node
    if (given != nullptr) return read<T>(*given);
    const schema::Attribute* const known = schema_ != nullptr ? schema_->attribute(name) : nullptr;
    return known != nullptr ? known->template default_as<T>() : std::nullopt;
  }
  std::int64_t attr(std::string_view name, std::int64_t otherwise) const {
    return attr<std::int64_t>(name).value_or(otherwise);
  }

  /// Integers that stand in an attribute or, in other versions, in an input.
  struct Parameter {
    bool given = false;
    std::optional<Ints> values;        // nullopt if not given, or given by an input that is not known
    std::optional<std::size_t> count;  // how many there are; known of some inputs whose values are not
  };
  Parameter parameter(std::string_view attribute, std::size_t input) const;

  /// The dtype is needed only where the schema of the operator does not give it by those of the inputs.
  void set_dtype(std::size_t output, DType dtype) {
    if (output < inferred_.size()) inferred_[output].dtype = dtype;
  }
  void set_shape(std::size_t output, const Shape& shape) {
    if (output < inferred_.size()) inferred_[output].shape = shape;
  }
  void set_shape(std::size_t output, std::vector<Dim> dims) { set_shape(output, Shape(std::move(dims))); }
  void set(std::size_t output, DType dtype, const Shape& shape);
  void set(std::size_t output, DType dtype, std::vector<Dim> dims) { set(output, dtype, Shape(std::move(dims))); }
  /// Of any type. That of a dense tensor is looked at later, others are copied.
  void set_type(std::size_t output, const onnx::TypeProto& type);

  /// As an input, of whatever type it is.
  void set_like(std::size_t output, std::size_t input);

  /// The extents of the outputs depend on elements of inputs, not on their shapes alone. What asks for contents that
  /// are not known says so by that.
  void depend_on_data() const { depends_on_data_ = true; }
  bool depends_on_data() const { return depends_on_data_; }

  /// What has been set for one output.
  struct InferredOutput {
    DType dtype = DType::undefined;
    Shape shape;
    std::unique_ptr<onnx::TypeProto> other;  // where it is no dense tensor
  };
  const InferredOutput& inferred(std::size_t output) const { return inferred_[output]; }

  /// Makes a value of a body at least as exact as that; no if it contradicts what the body declares.
  Verdict refine(Value& value, DType dtype, const Shape& shape) const;
  Verdict refine(Value& value, const onnx::TypeProto& type) const;
  /// Takes away the extents of a value of a body that are declared otherwise than in one of the shapes that it has.
  void widen(Value& value, const Shape& shape) const;
  /// The types of all values in a body of the node. What is wrong in one that is not taken is no problem.
  void infer_body(Graph& body, bool taken = true) const;

 private:
  Node& node_;
  const schema::Operator* schema_ = infer::lenient_schema(node_);
  KnownContents& known_;
  Inference* inference_ = nullptr;
  std::size_t output_ = 0;
  std::vector<InferredOutput> inferred_;
  mutable bool depends_on_data_ = false;
};

}  // namespace graft::inline v1
