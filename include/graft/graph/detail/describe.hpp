#pragma once
#include <string>

#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

/// What a person calls a node: its name, or its operator and first output.
std::string describe(const onnx::NodeProto& node);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/graph/detail/describe.ipp>
#endif
