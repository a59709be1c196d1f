#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that swaps the operands of an Add where both are made by a Conv, activations aside, and the second is
/// farther from what both are made of. A runtime that fuses the sum into the Conv of its first operand then fuses it
/// into the last Conv of the main branch, and quantizes the other one: Quirk::pairs_on_one_branch. Looks back by at
/// most 64 nodes on each branch. Values stay. An Add of opsets below 7 broadcasts its second operand alone, and stays.
Pass longer_branches_first();

}  // namespace graft::inline v1
