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
// quantized value; behind an output, all that read it do, outputs of the graph among them, whose names stay. An input
// that a quantizer makes, and an output that only quantizers read, stay, with a note. Values change; shapes and
// signature stay.

namespace graft::inline v1::qonnx {

/// Where a Quant goes at a node, and with which parameters.
struct QuantPlace {
  enum class Side : std::uint8_t { input, output };

  Side side = Side::input;
  std::size_t index = 0;
  Quantizer quantizer{};
};

/// Of nodes by their names, all that have one, and by their operators, "Conv" or "domain::Op". At one place of a node,
/// its name decides.
struct QuantMap {
  std::map<std::string, std::vector<QuantPlace>> by_name{};
  std::map<std::string, std::vector<QuantPlace>> by_op{};
};

/// The pass that puts Quant nodes into the graph, its bodies and functions. Throws Error, with the graph as it was, for
/// a name of no node, an input or output that a node of that name does not have, parameters that would broadcast the
/// value, and a place in a function that does not import QONNX's domain. A node that has its operator's place not at
/// all is passed over.
Pass quantize_graph(QuantMap map);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/quantize_graph.ipp>
#endif
