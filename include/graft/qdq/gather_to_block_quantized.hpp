#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Gather(table, ids)
// After:   com.microsoft::GatherBlockQuantized(codes, ids, scales) {bits=8, block_size=32, gather_axis=0,
//                                                                   quantize_axis=1}
//
// The table is a constant matrix [rows, columns] of float32 or float16, finite, with columns for a block at least.
// All that reads it is Gather along axis 0. Codes are uint8 around 128, and each block of 32 columns has a scale of the
// table's dtype: values are off by at most half a step of it, or a whole one at the end of the range that code 255 is
// nearest to.

namespace graft::inline v1 {

extern const RuleView gather_to_block_quantized;

/// The pass that does this everywhere, in bodies too. Types are inferred first.
Pass gathers_to_block_quantized();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/qdq/gather_to_block_quantized.ipp>
#endif
