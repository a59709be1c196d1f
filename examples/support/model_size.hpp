#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/graph.hpp>

/// The bytes of the file and of its external data.
inline std::size_t size_of(graft::Model& model) {
  std::size_t bytes = model.commit().ByteSizeLong();
  for (const graft::Graph* const scope : model.scopes()) {
    for (const graft::Value* const value : scope->initializers()) {
      const onnx::TensorProto& tensor = *value->initializer();
      if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
      double elements = 1;
      for (const std::int64_t dim : tensor.dims()) elements *= static_cast<double>(dim);
      bytes += graft::external_location(tensor).length.value_or(
          static_cast<std::uint64_t>(elements * static_cast<double>(graft::bits(value->dtype())) / 8));
    }
  }
  return bytes;
}
