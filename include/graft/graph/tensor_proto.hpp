#pragma once
#include <memory>

#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

class ExternalData;

/// The tensor of a proto: from raw_data, from the typed field that ONNX prescribes, or from an external file on first
/// access. The tensor refers to the proto's memory, unless that is misaligned or has wider elements. So the proto must
/// not change during the lifetime of the tensor and its copies, which hold keep_alive, if given. Throws
/// UnreadableTensor with the tensor as its field for unknown dtypes, strings, and negative or overflowing dims. It also
/// throws for data of the wrong length, segments, and external data that `where` lacks.
Tensor read_tensor(const onnx::TensorProto& proto, const ExternalData* where = nullptr,
                   std::shared_ptr<const void> keep_alive = {});

/// Stores the tensor as the proto's raw_data. Moves the bytes if no other tensor shares them. Name, doc string and
/// unknown fields of the proto stay. Throws Error for an undefined tensor.
void write_tensor(Tensor&& tensor, onnx::TensorProto& proto);

}  // namespace graft::inline v1
