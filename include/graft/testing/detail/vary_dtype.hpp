#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Makes all that is f32 in a graph another float dtype: inputs, constants, what Casts and the like make; bodies too.
class FloatsAs {
 public:
  explicit FloatsAs(DType dtype) : dtype_(dtype) {}

  /// Whether there was anything to change.
  bool change(onnx::GraphProto& graph) {
    graph.clear_value_info();
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) change(*input.mutable_type());
    for (onnx::ValueInfoProto& output : *graph.mutable_output()) output.clear_type();
    for (onnx::TensorProto& initializer : *graph.mutable_initializer()) change(initializer);
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) change(attribute);
    }
    return changed_;
  }

 private:
  static constexpr int from = onnx::TensorProto::FLOAT;

  void change(onnx::TypeProto& type) {
    if (!type.has_tensor_type() || type.tensor_type().elem_type() != from) return;
    type.mutable_tensor_type()->set_elem_type(static_cast<int>(dtype_));
    changed_ = true;
  }
  void change(onnx::TensorProto& tensor) {
    if (tensor.data_type() != from || tensor.data_location() == onnx::TensorProto::EXTERNAL) return;
    const Tensor floats = read_tensor(tensor);
    write_tensor(Tensor::of(dtype_, floats.dims(), floats.to<double>()), tensor);
    changed_ = true;
  }
  void change(onnx::AttributeProto& attribute) {
    if (attribute.has_t()) change(*attribute.mutable_t());
    if (attribute.has_g()) change(*attribute.mutable_g());
    const bool names_dtype = attribute.name() == "to" || attribute.name() == "dtype";
    if (names_dtype && attribute.i() == from) attribute.set_i(static_cast<int>(dtype_));
  }

  DType dtype_;
  bool changed_ = false;
};

/// The same in double and half precision. What operators do not take, the verifier tells.
inline void vary_dtype(Variations& into) {
  for (const DType dtype : {DType::f64, DType::f16}) {
    const auto change = [dtype](onnx::ModelProto& model) { return FloatsAs(dtype).change(*model.mutable_graph()); };
    if (onnx::ModelProto copy = into.base(); !change(copy)) return;
    // Each rounding of a half costs 2^-11 of what is rounded, which may be larger than what comes out.
    into.add_written("floats as " + std::string(to_string(dtype)), change, dtype == DType::f16 ? 0x1p-6 : 0);
  }
}

}  // namespace graft::inline v1::detail
