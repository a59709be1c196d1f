#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  graph(x, y) with uses of x and y, in bodies too
// After:   graph(a, b) with the same uses of a and b
//
// Each old name is that of a graph input, and no value of the graph and its bodies bears a new one, but for inputs that
// are renamed themselves. An input that is an output as well stays under its old name there, behind an Identity. The
// signature changes; values and shapes do not.

/// Gives inputs of the graph new names, {old, new}, all at once: two may swap theirs. Throws Error, with the graph as
/// it was, for a name of no input and for a clash.
Pass rename_inputs(std::vector<std::pair<std::string, std::string>> names);

// Before:  y = f(x), y an output of the graph, used elsewhere as well
// After:   a = f(x), a the output at the same place, used there
//
// Each old name is that of a graph output, and no value of the graph and its bodies bears a new one, except for outputs
// that are renamed themselves. An output that is an input as well is copied by an Identity, which has the new name.
// The signature changes; values and shapes do not.

/// Gives outputs of the graph new names, {old, new}, all at once: two may swap theirs. Throws Error, with the graph as
/// it was, for a name of no output and for a clash.
Pass rename_outputs(std::vector<std::pair<std::string, std::string>> names);

// Before:  x: f32[batch,3], y: f32[2*batch,3]
// After:   x: f32[N,3], y: f32[2*N,3]
//
// For "batch" and "N", in all types of the graph and its bodies; no extent is called "N" yet. Values and shapes do not
// change; the signature does by the name.

/// Renames a symbolic extent wherever it stands. Throws Error, with the graph as it was, if no extent bears the name,
/// if one bears the new name, or if that is empty.
Pass rename_dim(std::string from, std::string to);

// Before:  x: f32[1,3], y = Neg(x): f32[1,3]
// After:   x: f32[N,3], y = Neg(x): f32[N,3]
//
// For axis 0 of the input x and "N". x has a shape, of more than `axis` dims. What follows for other types is inferred
// again; an old symbol that no other input bears is renamed wherever it stands. Values do not change. The signature
// does, and where the extent was a number, the model is declared to take others as well: change_batch() sees to it that
// it does.

/// Gives an extent of an input a name, in place of its number or of its old name. Inputs that bear the name already are
/// of one size with it then. Throws Error, with the graph as it was, for a name of no input and an axis that it does
/// not have. rename_dim() renames an extent everywhere.
Pass rename_input_dims(std::string input, std::size_t axis, std::string symbol);

// Before:  y: f32[unk__0,3], an output
// After:   y: f32[N,3]
//
// For axis 0 of the output y and "N". y has a shape, of more than `axis` dims. An old symbol that no input bears is
// renamed wherever it stands. Values and shapes do not change; the signature does.

/// Gives an extent of an output a name, in place of its number or of its old name. Throws Error, with the graph as it
/// was, for a name of no output, and an axis that it does not have. rename_dim() renames an extent everywhere.
Pass rename_output_dims(std::string output, std::size_t axis, std::string symbol);

/// Every node of the graph, its bodies and the functions gets a name that no other node has: one without a name is
/// called by its operator and first output, as in "Conv(y)", which reports call it by anyway; of several with one name
/// the first keeps it. Runtimes that fuse nodes make up names from those that there are, and refuse a model in which
/// two are alike.
Pass unique_node_names();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename.ipp>
#endif
