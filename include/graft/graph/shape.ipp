#pragma once
#include <graft/config.hpp>
#include <graft/graph/shape.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Shape::Shape(const onnx::TypeProto& type) {
  if (type.has_tensor_type() && type.tensor_type().has_shape()) *this = Shape(type.tensor_type().shape());
  if (type.has_sparse_tensor_type() && type.sparse_tensor_type().has_shape()) {
    *this = Shape(type.sparse_tensor_type().shape());
  }
}

GRAFT_INLINE Dim Shape::operator[](std::size_t axis) const {
  switch (from_) {
    case From::proto: return Dim(static_cast<const onnx::TensorShapeProto*>(data_)->dim(static_cast<int>(axis)));
    case From::numbers: return Dim(static_cast<const std::int64_t*>(data_)[axis]);
    case From::dims: return static_cast<const Dim*>(data_)[axis];
    case From::nowhere: break;
  }
  return {};
}

GRAFT_INLINE std::optional<Dims> Shape::dims() const {
  if (!known()) return std::nullopt;
  Dims values(rank_);
  for (std::size_t axis = 0; axis < rank_; ++axis) {
    const Dim dim = (*this)[axis];
    if (!dim.known()) return std::nullopt;
    values[axis] = dim.value();
  }
  return values;
}

GRAFT_INLINE bool same_size(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known() || a.rank() != b.rank()) return false;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    if (!same_size(a[axis], b[axis])) return false;
  }
  return true;
}

GRAFT_INLINE std::string to_string(const Dim& dim) {
  if (dim.known()) return std::to_string(dim.value());
  return dim.symbolic() ? std::string(dim.symbol()) : "?";
}

GRAFT_INLINE std::string to_string(const Shape& shape) {
  if (!shape.known()) return "";
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) text += (axis ? "," : "") + to_string(shape[axis]);
  return text + "]";
}

GRAFT_INLINE DType elem_type(const onnx::TypeProto& type) {
  if (type.has_tensor_type()) return static_cast<DType>(type.tensor_type().elem_type());
  if (type.has_sparse_tensor_type()) return static_cast<DType>(type.sparse_tensor_type().elem_type());
  return DType::undefined;
}

GRAFT_INLINE std::string to_string(const onnx::TypeProto& type) {
  const auto tensor = [&] { return std::string(to_string(elem_type(type))) + to_string(Shape(type)); };
  if (type.has_tensor_type()) return tensor();
  if (type.has_sparse_tensor_type()) return "sparse(" + tensor() + ")";
  if (type.has_sequence_type()) return "sequence(" + to_string(type.sequence_type().elem_type()) + ")";
  if (type.has_optional_type()) return "optional(" + to_string(type.optional_type().elem_type()) + ")";
  if (type.has_map_type()) {
    return "map(" + std::string(to_string(static_cast<DType>(type.map_type().key_type()))) + ", " +
           to_string(type.map_type().value_type()) + ")";
  }
  return "undefined";
}

GRAFT_INLINE onnx::TypeProto tensor_type(DType dtype, const Shape& shape) {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(static_cast<std::int32_t>(dtype));
  if (!shape.known()) return type;
  onnx::TensorShapeProto& proto = *type.mutable_tensor_type()->mutable_shape();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    onnx::TensorShapeProto::Dimension& dim = *proto.add_dim();
    if (shape[axis].known()) dim.set_dim_value(shape[axis].value());
    if (shape[axis].symbolic()) dim.set_dim_param(std::string(shape[axis].symbol()));
  }
  return type;
}

}  // namespace graft::inline v1
