#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  y = f(x), y an output of the graph, used elsewhere as well
// After:   a = f(x), a the output at the same place, used there
//
// Each old name is that of a graph output, and no value of the graph and its bodies bears a new one, except for outputs
// that are renamed themselves. An output that is an input as well is copied by an Identity, which has the new name.
// The signature changes; values and shapes do not.

namespace graft::inline v1 {

/// Gives outputs of the graph new names, {old, new}, all at once: two may swap theirs. Throws Error, with the graph as
/// it was, for a name of no output and for a clash.
Pass rename_outputs(std::vector<std::pair<std::string, std::string>> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename_outputs.ipp>
#endif
