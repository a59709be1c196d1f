#pragma once
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/kernel/fault.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// A result of an operator that moves values, to which the runtime carries the pair in front, with no QuantizeLinear
/// behind; and how it fails there: Fault::carried_int8 or Fault::carried_into_body.
struct CarriedPair {
  Value* moved = nullptr;
  Fault fault = Fault::carried_int8;
};

/// Those of the pair that a DequantizeLinear of a computed tensor ends; none for other nodes. A pair behind the result,
/// with the same scale and zero point, mends it.
std::vector<CarriedPair> pairs_carried_wrongly(const Node& node, const Target& target);

}  // namespace graft::inline v1
