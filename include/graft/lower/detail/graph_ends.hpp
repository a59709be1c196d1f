#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Replaces a graph output by `by`, which is computed from it, and gives `by` its name.
void hand_out(Value& output, Value& by, const onnx::TypeProto& type);

}  // namespace graft::inline v1::detail
