#pragma once
#include <cstddef>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::infer {

/// The node's operator at its opset; nullptr if unknown. If the opset is older than the operator, its newest version:
/// some exporters put contrib operators into the main domain.
const schema::Operator* lenient_schema(const Node& node);

/// The dtype that the schema determines for an output: the only allowed one, or that of an input in the same type
/// group. undefined if the schema leaves it open.
DType dtype_by_schema(const Node& node, const schema::Operator& op, std::size_t output);

}  // namespace graft::inline v1::infer
