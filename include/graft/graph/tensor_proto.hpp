#pragma once
#include <memory>

#include <graft/graph/external_data.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The tensor of a proto: its raw_data, the typed field that ONNX prescribes for the dtype, or its part of an external
/// file, which is read when it is looked at. Read in place unless misaligned, or wider in the proto than in memory; so
/// the proto must stay as it is while the tensor or a copy of it lives. keep_alive, if given, is held for that long.
/// Throws UnreadableTensor, its field naming the tensor: unknown dtype; strings; negative or overflowing dims; data of
/// the wrong length; a segment; external data that `where` does not give.
Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where = nullptr,
                   std::shared_ptr<const void> keep_alive = {});

/// Makes the proto hold the tensor as raw_data, which takes the bytes over without a copy if no other tensor shares
/// them. Name, doc string and unknown fields of the proto stay. Throws Error for an undefined tensor.
void write_tensor(Tensor&& tensor, onnx::TensorProto& proto);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/read_tensor.ipp>
#include <graft/graph/tensor_proto.ipp>
#endif
