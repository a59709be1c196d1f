#pragma once
#include <cstdint>

#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  Gather(table, ids)
// After:   Mul(Cast(Gather(integers, ids)), scales)
//
// The table is a constant float32 tensor, [rows, ...]. All its readers are Gather along axis 0, and none is kept in
// float. It has one scale, or one for each column: each index of the last axis, in which embeddings differ more than
// from row to row. DequantizeLinear is not used: runtimes would merge it into the next kernel, which has one scale for
// an activation. ONNX Runtime then rejects the model, or fails when it runs.

namespace graft::inline v1 {

struct EmbeddingOptions {
  std::int64_t least_elements = 1 << 14;  ///< smaller tables stay in float: they save less than another operator costs
};

/// The pass that stores tables of Gather, such as word embeddings, in graph and bodies as symmetric integers. `forms`
/// gives the form for each Gather, by default 8 bits. Without clipping, values change by at most half a step of their
/// scale. A table with several readers in one form is stored once. Run it after quantize_weights(), which gives a
/// weight that a product reads too a separate copy. Its notes name large tables that stay in float, with the reason.
/// For a target with Quirk::keeps_tables_in_float, or without an integer Gather, all tables stay in float.
Pass quantize_embeddings(const WeightForms& forms, const Target& target, EmbeddingOptions options = {});

}  // namespace graft::inline v1
