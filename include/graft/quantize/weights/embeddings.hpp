#pragma once
#include <cstdint>

#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Gather(table, ids)
// After:   Mul(Cast(Gather(integers, ids)), scales)
//
// The table is a constant float32 tensor, [rows, ...]. All that reads it is Gather along axis 0, of which none is kept
// in float. Its scales are one, or one for each column: each index of the last axis, in which embeddings differ more
// than from row to row. There is no DequantizeLinear, for runtimes would take one into the kernel behind it, which has
// one scale for an activation: ONNX Runtime then refuses the model, or fails when it runs.

namespace graft::inline v1 {

struct EmbeddingOptions {
  std::int64_t least_elements = 1 << 14;  ///< Smaller tables stay in float: they save less than an operator more costs.
};

/// The pass that stores tables that Gather reads, as of word embeddings, as integers, symmetric, in the form that forms
/// gives the Gather, by default in 8 bits; without clipping values are off by at most half a step of their scale. Those
/// of graph and bodies; a table that several read in one form is stored once. Comes behind quantize_weights(), which
/// takes a weight that is read by a product too away from that. Its notes name large tables that stay in float, and
/// why. A target with Quirk::keeps_tables_in_float, or that does not Gather integers, keeps all.
Pass quantize_embeddings(const WeightForms& forms, const Target& target, EmbeddingOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/weights/embeddings.ipp>
#endif
