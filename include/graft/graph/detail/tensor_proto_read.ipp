#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/typed_data.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

namespace detail {

inline Tensor read_unnamed_tensor(const onnx::TensorProto& proto, const ExternalData* where,
                           std::shared_ptr<const void> keep_alive) {
  if (proto.has_segment()) throw Error("a segment of a tensor cannot be read alone");
  const auto dtype = static_cast<DType>(proto.data_type());
  Dims dims(proto.dims().begin(), proto.dims().end());
  const std::size_t wanted = byte_count(dtype, dims);

  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (where == nullptr) throw Error("its data is external, but the model's folder is unknown");
    Tensor tensor = where->find(external_location(proto), dtype, std::move(dims), proto.name());
    if (dtype != DType::boolean || are_bools(tensor.bytes())) return tensor;
    return tensor_over(dtype, tensor.dims(), tensor.bytes(), {});
  }
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    if (raw.size() != wanted) {
      throw Error("raw_data of " + to_string(dtype, dims) + ": expected " + std::to_string(wanted) + " bytes, found " +
                  std::to_string(raw.size()));
    }
    return tensor_over(dtype, std::move(dims), std::as_bytes(std::span(raw)), std::move(keep_alive));
  }
  return TypedData{proto, dtype, std::move(dims), std::move(keep_alive)}.read();
}

}  // namespace detail

GRAFT_INLINE Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where,
                                std::shared_ptr<const void> keep_alive) {
  try {
    return detail::read_unnamed_tensor(proto, where, std::move(keep_alive));
  } catch (Error& error) {
    if (!proto.name().empty()) error.field("tensor '" + proto.name() + "'");
    throw UnreadableTensor(std::move(error));
  }
}

}  // namespace graft::inline v1
