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
// Each old name is that of a graph input. No value of the graph and its bodies has a new name, except inputs that are
// renamed, too. If an input is an output, too, the output keeps the old name, by an Identity. The signature changes;
// values and shapes stay.

/// Renames graph inputs, {old, new}, all at once, so that two may swap their names. Throws Error, with the graph as it
/// was, if no input has an old name, and for a clash of names.
Pass rename_inputs(std::vector<std::pair<std::string, std::string>> names);

// Before:  y = f(x), y an output of the graph, used elsewhere as well
// After:   a = f(x), a the output at the same place, used there
//
// Each old name is that of a graph output. No value of the graph and its bodies has a new name, except outputs that are
// renamed, too. If an output is an input, too, an Identity copies it under the new name. The signature changes; values
// and shapes stay.

/// Renames graph outputs, {old, new}, all at once, so that two may swap their names. Throws Error, with the graph as it
/// was, if no output has an old name, and for a clash of names.
Pass rename_outputs(std::vector<std::pair<std::string, std::string>> names);

// Before:  x: f32[batch,3], y: f32[2*batch,3]
// After:   x: f32[N,3], y: f32[2*N,3]
//
// The example renames "batch" to "N", in all types of the graph and its bodies; no extent has the name "N" yet. Only
// the name in the signature changes; values and shapes stay.

/// Renames a symbolic extent everywhere. Throws Error, with the graph as it was, if no extent has the old name, if one
/// has the new name, or if the new name is empty.
Pass rename_dim(std::string from, std::string to);

// Before:  x: f32[1,3], y = Neg(x): f32[1,3]
// After:   x: f32[N,3], y = Neg(x): f32[N,3]
//
// The example names axis 0 of the input x "N". x has a shape of more than `axis` dims. Types of dependents are inferred
// again. An old symbol that no other input has is renamed everywhere. Values stay. The signature changes. If the extent
// was a number, the model now declares that it accepts others; change_batch() makes this true.

/// Names an extent of an input, which had a number or another name. If other inputs have the name already, they now
/// have the same extent. Throws Error, with the graph as it was, if no input has the name `input`, or if it does not
/// have the axis. rename_dim() renames an extent everywhere.
Pass rename_input_dims(std::string input, std::size_t axis, std::string symbol);

// Before:  y: f32[unk__0,3], an output
// After:   y: f32[N,3]
//
// The example names axis 0 of the output y "N". y has a shape of more than `axis` dims. An old symbol that no input has
// is renamed everywhere. Values and shapes stay; the signature changes.

/// Names an extent of an output, which had a number or another name. Throws Error, with the graph as it was, if no
/// output has the name `output`, or if it does not have the axis. rename_dim() renames an extent everywhere.
Pass rename_output_dims(std::string output, std::size_t axis, std::string symbol);

/// Gives every node of the graph, its bodies and the functions a unique name. A node without a name gets its name in
/// reports, operator and first output, as in "Conv(y)". Of several nodes with one name, the first keeps it. Runtimes
/// that fuse nodes derive names from those of the nodes, and reject a model if two are equal.
Pass unique_node_names();

}  // namespace graft::inline v1
