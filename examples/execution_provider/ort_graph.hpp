#pragma once
// ONNX Runtime's OrtGraph as a ModelProto.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <onnxruntime_cxx_api.h>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace ort_graph {

/// A view of the runtime's tensor, which must outlive it. Both number dtypes as ONNX does.
inline graft::Tensor to_tensor(const Ort::ConstValue& value) {
  const auto type = value.GetTensorTypeAndShapeInfo();
  return graft::Tensor::borrow(static_cast<graft::DType>(type.GetElementType()), type.GetShape(),
                               value.GetTensorRawData());
}

inline void write(const graft::Tensor& tensor, onnx::TensorProto& proto) {
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype()));
  for (const std::int64_t dim : tensor.dims()) proto.add_dims(dim);
  proto.set_raw_data(tensor.bytes().data(), tensor.bytes().size());
}

inline void write(const Ort::ConstValueInfo& value, onnx::ValueInfoProto& proto) {
  proto.set_name(value.GetName());
  if (value.TypeInfo().GetONNXType() != ONNX_TYPE_TENSOR) return;
  const auto type = value.TypeInfo().GetTensorTypeAndShapeInfo();
  onnx::TypeProto::Tensor& tensor = *proto.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type.GetElementType());
  const std::vector<std::int64_t> dims = type.GetShape();  // empty for a scalar, and for an unknown rank: not declared
  const std::vector<const char*> symbols = type.GetSymbolicDimensions();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    onnx::TensorShapeProto::Dimension& dim = *tensor.mutable_shape()->add_dim();
    if (dims[i] >= 0) dim.set_dim_value(dims[i]);
    else if (*symbols[i] != '\0') dim.set_dim_param(symbols[i]);
  }
}

template <class T>
T read(const Ort::ConstOpAttr& attribute) {
  T value{};
  Ort::ThrowOnError(attribute.GetValue(value));
  return value;
}
template <class T>
std::vector<T> read_list(const Ort::ConstOpAttr& attribute) {
  std::vector<T> values;
  Ort::ThrowOnError(attribute.GetValueArray(values));
  return values;
}

inline void write(const Ort::ConstOpAttr& attribute, onnx::AttributeProto& proto) {
  proto.set_name(attribute.GetName());
  switch (attribute.GetType()) {
    case ORT_OP_ATTR_INT: proto.set_type(onnx::AttributeProto::INT); return proto.set_i(read<std::int64_t>(attribute));
    case ORT_OP_ATTR_FLOAT: proto.set_type(onnx::AttributeProto::FLOAT); return proto.set_f(read<float>(attribute));
    case ORT_OP_ATTR_STRING:
      proto.set_type(onnx::AttributeProto::STRING);
      return proto.set_s(read<std::string>(attribute));
    case ORT_OP_ATTR_INTS:
      proto.set_type(onnx::AttributeProto::INTS);
      for (const std::int64_t one : read_list<std::int64_t>(attribute)) proto.add_ints(one);
      return;
    case ORT_OP_ATTR_FLOATS:
      proto.set_type(onnx::AttributeProto::FLOATS);
      for (const float one : read_list<float>(attribute)) proto.add_floats(one);
      return;
    case ORT_OP_ATTR_STRINGS:
      proto.set_type(onnx::AttributeProto::STRINGS);
      for (const std::string& one : read_list<std::string>(attribute)) proto.add_strings(one);
      return;
    case ORT_OP_ATTR_TENSOR: {
      proto.set_type(onnx::AttributeProto::TENSOR);
      Ort::Value value;
      Ort::ThrowOnError(attribute.GetTensorAttributeAsOrtValue(value));
      return write(to_tensor(value.GetConst()), *proto.mutable_t());
    }
    default: throw graft::Error("an attribute of this type is not supported").field(proto.name());
  }
}

/// "" for an absent input or output.
inline std::string name_of(const Ort::ConstValueInfo& value) { return value == nullptr ? "" : value.GetName(); }

inline void write(const Ort::ConstNode& node, onnx::NodeProto& proto) {
  proto.set_name(node.GetName());
  proto.set_op_type(node.GetOperatorType());
  proto.set_domain(node.GetDomain());
  for (const Ort::ConstValueInfo& input : node.GetInputs()) proto.add_input(name_of(input));
  for (const Ort::ConstValueInfo& output : node.GetOutputs()) proto.add_output(name_of(output));
  for (const Ort::ConstOpAttr& attribute : node.GetAttributes()) write(attribute, *proto.add_attribute());
}

/// Copies the graph with its constants and the types of all values. Throws Error for nodes with bodies.
inline onnx::ModelProto to_proto(const Ort::ConstGraph& graph) {
  onnx::ModelProto model;
  model.set_ir_version(graph.GetOnnxIRVersion());
  for (const Ort::OperatorSet& import : graph.GetOperatorSets()) {
    onnx::OperatorSetIdProto& proto = *model.add_opset_import();
    proto.set_domain(import.domain);
    proto.set_version(import.version);
  }
  onnx::GraphProto& proto = *model.mutable_graph();
  proto.set_name(graph.GetName());
  for (const Ort::ConstValueInfo& constant : graph.GetInitializers()) {
    Ort::ConstValue value;
    Ort::ThrowOnError(constant.GetInitializer(value));
    onnx::TensorProto& tensor = *proto.add_initializer();
    tensor.set_name(constant.GetName());
    write(to_tensor(value), tensor);
  }
  for (const Ort::ConstValueInfo& input : graph.GetInputs())
    if (!input.IsConstantInitializer()) write(input, *proto.add_input());
  for (const Ort::ConstValueInfo& output : graph.GetOutputs()) write(output, *proto.add_output());
  for (const Ort::ConstNode& node : graph.GetNodes()) {
    write(node, *proto.add_node());
    for (const Ort::ConstValueInfo& output : node.GetOutputs())
      if (output != nullptr && !output.IsGraphOutput()) write(output, *proto.add_value_info());
  }
  return model;
}

}  // namespace ort_graph
