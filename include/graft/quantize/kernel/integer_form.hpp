#pragma once
#include <cstddef>
#include <map>
#include <string>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Whether an operator takes integers with their scales and zero points as inputs, or finds them as it runs: what other
/// tools make of a float model instead of putting quantizers around operators. ONNX operators since version 10 and 11,
/// and those of com.microsoft. Quantization leaves them as they are.
bool is_integer_form(const Node& node);

/// How many there are of each, in this scope.
std::map<std::string, std::size_t> count_integer_forms(const Graph& graph);

}  // namespace graft::inline v1
