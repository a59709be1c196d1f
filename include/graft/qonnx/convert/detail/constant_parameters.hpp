#pragma once
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx::detail {

/// The inputs of a quantizer behind the first one, which are there; nullopt, and why, if one of them is no constant of
/// float32.
std::optional<std::vector<Tensor>> constant_parameters(const Node& quantizer, std::string& why);

}  // namespace graft::inline v1::qonnx::detail

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/detail/constant_parameters.ipp>
#endif
