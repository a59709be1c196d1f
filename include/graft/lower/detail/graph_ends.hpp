#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// `by`, which is computed of an output, takes its place among the outputs, and its name.
void hand_out(Value& output, Value& by, const onnx::TypeProto& type);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/lower/detail/graph_ends.ipp>
#endif
