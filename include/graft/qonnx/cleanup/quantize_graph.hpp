#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  y = Conv(x, w)
// After:   y = Quant(Conv(Quant(x, ...), Quant(w, ...)), ...)
//
// For places {input, 0}, {input, 1} and {output, 0} of the Conv. In front of an input, only this node reads the
// quantized value. Behind an output, all its readers do, including outputs of the graph, whose names stay. An input
// that is quantized already, and an output that only quantizers read, are skipped with a note. Values change; shapes
// and signature stay.

namespace graft::inline v1::qonnx {

/// The place of a Quant at a node, and its parameters.
struct QuantPlace {
  enum class Side : std::uint8_t { input, output };

  Side side = Side::input;
  std::size_t index = 0;
  Quantizer quantizer{};
};

/// Places by names of nodes, which apply to all nodes of that name, and by operators, "Conv" or "domain::Op". If both
/// name a place of a node, the name has precedence.
struct QuantMap {
  std::map<std::string, std::vector<QuantPlace>> by_name{};
  std::map<std::string, std::vector<QuantPlace>> by_op{};
};

/// The pass that inserts Quant nodes into the graph, its bodies and functions. A node without a place of its operator
/// is skipped.
///
/// Throws Error, without changing the graph, for a name that no node has, and for an input or output that the named
/// node does not have. Throws Error for parameters that would broadcast the value, and for a place in a function that
/// does not import QONNX's domain.
Pass quantize_graph(QuantMap map);

}  // namespace graft::inline v1::qonnx
