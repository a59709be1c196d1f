#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <graft/graph/detail/typed_data.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

namespace detail {

inline Tensor read_unnamed_tensor(const onnx::TensorProto& proto, const ExternalData* where,
                                  std::shared_ptr<const void> keep_alive) {
  if (proto.has_segment()) throw Error("a segment of a tensor cannot be read alone");
  const auto dtype = static_cast<DType>(proto.data_type());
  Dims dims(proto.dims().begin(), proto.dims().end());
  const std::size_t wanted = byte_count(dtype, dims);

  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (where == nullptr) throw Error("its data is external, and the model's folder is not known");
    const ExternalBytes external = where->map(external_location(proto), wanted);
    return tensor_over(dtype, std::move(dims), external.bytes, external.keep_alive);
  }
  if (proto.has_raw_data()) {
    const std::string& raw = proto.raw_data();
    if (raw.size() != wanted) {
      throw Error("raw_data of " + to_string(dtype, dims) + " wants " + std::to_string(wanted) + " bytes, has " +
                  std::to_string(raw.size()));
    }
    return tensor_over(dtype, std::move(dims), std::as_bytes(std::span(raw)), std::move(keep_alive));
  }
  return TypedData{proto, dtype, std::move(dims), std::move(keep_alive)}.read();
}

}  // namespace detail

/// The tensor of a proto: its raw_data, the typed field that ONNX prescribes for the dtype, or a mapped external
/// file. Read in place unless misaligned, or wider in the proto than in memory; so the proto must stay as it is
/// while the tensor or a copy of it lives. keep_alive, if given, is held for that long. Throws Error, its field
/// naming the tensor: unknown dtype; strings; negative or overflowing dims; data of the wrong length; a segment;
/// external data that `where` does not give.
inline Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where = nullptr,
                          std::shared_ptr<const void> keep_alive = {}) {
  try {
    return detail::read_unnamed_tensor(proto, where, std::move(keep_alive));
  } catch (Error& error) {
    if (!proto.name().empty()) error.field("tensor '" + proto.name() + "'");
    throw;
  }
}

/// Makes the proto hold the tensor as raw_data, which takes the bytes over without a copy if no other tensor shares
/// them. Name, doc string and unknown fields of the proto stay. Throws Error for an undefined tensor.
inline void write_tensor(Tensor&& tensor, onnx::TensorProto& proto) {
  if (!tensor) throw Error("an undefined tensor cannot be written");
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype()));
  proto.mutable_dims()->Assign(tensor.dims().begin(), tensor.dims().end());
  std::string bytes = tensor.release();  // before its source is cleared: the tensor may have been read from this proto
  proto.clear_segment();
  proto.clear_float_data();
  proto.clear_int32_data();
  proto.clear_string_data();
  proto.clear_int64_data();
  proto.clear_double_data();
  proto.clear_uint64_data();
  proto.clear_external_data();
  proto.clear_data_location();
  proto.set_raw_data(std::move(bytes));
}

}  // namespace graft::inline v1
