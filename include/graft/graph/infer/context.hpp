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

class Inference;
class KnownContents;
class InferContext;

namespace infer {
struct OperatorRule;
}

/// The view of a node for the inference of its operator: types and contents of its inputs, and the types of its outputs
/// to be set.
class InferContext {
 public:
  InferContext(Node& node, KnownContents& known, Inference& inference);

  /// A context for the contents of one output, without output types.
  InferContext(Node& node, KnownContents& known, std::size_t output);

  Node& node() const { return node_; }
  /// The output whose contents are inferred.
  std::size_t output() const { return output_; }
  /// The version of the node's domain; the newest one if the model does not import the domain.
  int opset() const;
  std::size_t input_count() const { return node_.input_count(); }
  std::size_t output_count() const { return node_.output_count(); }
  bool has(std::size_t i) const { return node_.input(i) != nullptr; }

  /// The dtype of an input; undefined if the input is absent.
  DType dtype(std::size_t i) const { return has(i) ? node_.input(i)->dtype() : DType::undefined; }
  /// The shape of an input; of unknown rank if the input is absent.
  Shape shape(std::size_t i) const { return has(i) ? node_.input(i)->shape() : Shape(); }
  /// The type of an input; nullptr if unknown.
  const onnx::TypeProto* type(std::size_t i) const { return has(i) ? node_.input(i)->type() : nullptr; }
  /// The elements of a small integer or bool input, each of them known, symbolic or unknown. nullptr if their number is
  /// unknown.
  const Contents* contents(std::size_t i) const;
  /// A constant input of any dtype and size; nullopt if it is absent or not constant.
  std::optional<Tensor> constant(std::size_t i) const;
  /// The elements of an integer input; nullopt unless all are known.
  std::optional<Ints> ints(std::size_t i) const;
  std::optional<std::int64_t> integer(std::size_t i) const;

  /// a + b and a - b, with symbols for sums of symbols, as KnownContents has them.
  Integer sum(const Integer& a, const Integer& b) const;
  Integer difference(const Integer& a, const Integer& b) const;
  Dim sum(const Dim& a, const Dim& b) const { return sum(Integer(a), Integer(b)).dim(); }

  /// The attribute of the node; nullptr if absent. A reference in a function's body is looked up in the call.
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

  /// Integers from an attribute or, in other versions, from an input.
  struct Parameter {
    bool given = false;
    std::optional<Ints> values;        // nullopt if absent, or if the input is unknown
    std::optional<std::size_t> count;  // the number of values, which may be known without them
  };
  Parameter parameter(std::string_view attribute, std::size_t input) const;

  /// Sets the dtype. It is needed only if the operator's schema does not derive it from the inputs.
  void set_dtype(std::size_t output, DType dtype) {
    if (output < inferred_.size()) inferred_[output].dtype = dtype;
  }
  void set_shape(std::size_t output, const Shape& shape) {
    if (output < inferred_.size()) inferred_[output].shape = shape;
  }
  void set_shape(std::size_t output, std::vector<Dim> dims) { set_shape(output, Shape(std::move(dims))); }
  void set(std::size_t output, DType dtype, const Shape& shape);
  void set(std::size_t output, DType dtype, std::vector<Dim> dims) { set(output, dtype, Shape(std::move(dims))); }
  /// Sets any type. A dense tensor type is referenced until it is read; other types are copied.
  void set_type(std::size_t output, const onnx::TypeProto& type);

  /// Copies the type of an input, of whatever kind.
  void set_like(std::size_t output, std::size_t input);

  /// Marks extents of the outputs that depend on elements of inputs, not only on shapes. Requests for unknown contents
  /// mark them, too.
  void depend_on_data() const { depends_on_data_ = true; }
  bool depends_on_data() const { return depends_on_data_; }

  /// The inferred type of one output.
  struct InferredOutput {
    DType dtype = DType::undefined;
    Shape shape;
    std::unique_ptr<onnx::TypeProto> other;  // set for types other than dense tensors
  };
  const InferredOutput& inferred(std::size_t output) const { return inferred_[output]; }
  using Told [[deprecated("use InferredOutput")]] = InferredOutput;
  [[deprecated("use inferred()")]] const InferredOutput& told(std::size_t output) const { return inferred(output); }

  /// Merges a type into that of a value in a body. Returns no if they contradict each other.
  Verdict refine(Value& value, DType dtype, const Shape& shape) const;
  Verdict refine(Value& value, const onnx::TypeProto& type) const;
  /// Removes the declared extents of a body's value that contradict a further shape of it.
  void widen(Value& value, const Shape& shape) const;
  /// Infers all values in a body of the node. A body that is not taken may have faults.
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
