#pragma once
#include <graft/graph/tensor_proto.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void write_tensor(Tensor&& tensor, onnx::TensorProto& proto) {
  if (!tensor) throw Error("an undefined tensor cannot be written");
  proto.set_data_type(static_cast<std::int32_t>(tensor.dtype()));
  proto.clear_dims();
  proto.mutable_dims()->Add(tensor.dims().begin(), tensor.dims().end());
  std::string bytes = tensor.release();  // first, because this proto may be the tensor's source
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
