#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  graph(x, y) with uses of x and y, in bodies too
// After:   graph(a, b) with the same uses of a and b
//
// Each old name is that of a graph input, and no value of the graph and its bodies bears a new one, but for inputs that
// are renamed themselves. An input that is an output as well stays under its old name there, behind an Identity. The
// signature changes; values and shapes do not.

namespace graft::inline v1 {

/// Gives inputs of the graph new names, {old, new}, all at once: two may swap theirs. Throws Error, with the graph as
/// it was, for a name of no input and for a clash.
Pass rename_inputs(std::vector<std::pair<std::string, std::string>> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename_inputs.ipp>
#endif
