#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/qonnx/datatype/data_types.hpp>

namespace graft::inline v1::qonnx {

/// The types that quantization_annotation gives to the tensors of the graph and its bodies, as of the last commit,
/// under the tag finn_datatype. Throws Error, with the tensor, for a name that is not a type.
DataTypes read_data_types(Graph& graph);

/// Commits the model and writes exactly these types to quantization_annotation. The annotations then follow their
/// tensors through edits. Functions have none. Throws Error inside an open Transaction.
void write_data_types(Model& model, const DataTypes& types);

}  // namespace graft::inline v1::qonnx
