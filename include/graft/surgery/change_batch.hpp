#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  x: f32[1,16,8], h = Reshape(x, {1, 128}), y: f32[1,4]
// After:   x: f32[N,16,8], h = Reshape(x, {0, 128}), y: f32[N,4]
//
// For "N". Where the constant shape of a Reshape holds the old batch, or a multiple of it, it gets a copy that holds
// the new one; where that is a symbol, 0, "as the input has it", or -1. Everything else must take another batch as it
// is: this is tried with a batch that equals nothing in the model. Values, shapes and signature change: of each sample
// the results are the same where the model treats samples apart.

namespace graft::inline v1 {

/// Changes the leading extent of these inputs of the graph; by default of all whose leading extent is that of the first
/// one that has a shape and no default. Its notes name outputs that do not change with it. Throws Error, with the graph
/// as it was, and names the node that is made for the old batch alone; for a name of no input, and one without axes.
Pass change_batch(std::int64_t batch, std::vector<std::string> inputs = {});
Pass change_batch(std::string symbol, std::vector<std::string> inputs = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/change_batch.ipp>
#endif
