#pragma once
#include <cstddef>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::infer {

/// The node's operator at its opset; at the newest if the opset is too old for it, as with contrib operators that
/// exporters put into the main domain before it had them. nullptr if it is unknown.
const schema::Operator* lenient_schema(const Node& node);

/// The dtype that the schema gives an output: the only one that is allowed, or that of an input in the same type
/// group. undefined if the schema leaves it open.
DType dtype_by_schema(const Node& node, const schema::Operator& op, std::size_t output);

}  // namespace graft::inline v1::infer

#ifndef GRAFT_COMPILED
#include <graft/graph/infer/dtype_by_schema.ipp>
#endif
