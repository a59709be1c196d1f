#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The tensor of a proto: its raw_data, the typed field that ONNX prescribes for the dtype, or a mapped external
/// file. Read in place unless misaligned, or wider in the proto than in memory; so the proto must stay as it is
/// while the tensor or a copy of it lives. keep_alive, if given, is held for that long. Throws UnreadableTensor,
/// its field naming the tensor: unknown dtype; strings; negative or overflowing dims; data of the wrong length; a
/// segment; external data that `where` does not give.
template <class = void>
Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where = nullptr,
                   std::shared_ptr<const void> keep_alive = {});

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

#ifndef GRAFT_SEPARATE
#include <graft/graph/detail/read_tensor.hpp>
#endif
