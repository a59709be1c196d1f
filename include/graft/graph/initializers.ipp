#pragma once
#include <graft/graph/initializers.hpp>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void check_initializers(const Model& model) {
  for (const Graph* const scope : model.scopes()) {
    for (const Value* const value : scope->initializers()) {
      const onnx::TensorProto& tensor = *value->initializer();
      const auto dtype = static_cast<DType>(tensor.data_type());
      if (!is_known(dtype) || dtype == DType::string) continue;
      try {
        static_cast<void>(read_tensor(tensor, model.external_data()));
      } catch (Error& error) {
        throw error.file(model.file());
      }
    }
  }
}

}  // namespace graft::inline v1
