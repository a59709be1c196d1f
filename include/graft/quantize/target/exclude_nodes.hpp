#pragma once
#include <string_view>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

void keep(Node& node, std::string_view reason, Facts& facts, Report& report);

}  // namespace detail

/// The pass after which inject_qdq(), correct_biases() and quantize_weights() leave alone the nodes of the main graph
/// that one of the patterns matches, as if the target had no integer kernel for them. A node without a name is called
/// by its operator and first output, as in "Conv(y)"; of nodes with one name each gets one of its own. Its notes are
/// the patterns that match no node, or none any more since it ran before. Where the target quantizes float constants
/// itself, and the node reads a DequantizeLinear, inject_qdq() stores its bias in 31 bits, which prevents that.
Pass exclude_nodes(std::vector<NamePattern> patterns);

/// The same for the first and the last Conv, Gemm or MatMul, or what else with a weight the target computes in
/// integers, on which accuracy hangs most in many nets. What has no name gets one.
Pass keep_ends_in_float(const Target& target);

}  // namespace graft::inline v1
