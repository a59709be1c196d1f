#pragma once
#include <graft/graph/error.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor_proto.hpp>

namespace graft::inline v1 {

/// Throws Error naming file and tensor if an initializer of any scope cannot be read: data of the wrong length,
/// negative or overflowing dims, external data that is missing, short or outside the model's folder. Loading a model
/// does not look at contents, and a pass only at those that it needs. Strings, and dtypes that graft does not know, are
/// left to whoever reads them.
template <class = void>
void check_initializers(const Model& model) {
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
