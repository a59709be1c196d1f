#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Gather(table, ids)
// After:   com.microsoft::GatherBlockQuantized(codes, ids, scales) {bits=8, block_size=32, gather_axis=0,
//                                                                   quantize_axis=1}
//
// The table is a finite constant matrix [rows, columns] of float32 or float16, with at least 32 columns. All its
// readers are Gathers along axis 0. Codes are uint8 around 128, and each block of 32 columns has a scale of the table's
// dtype. Errors of values are at most half a step; at the end of the range where code 255 is the nearest, a whole step.
extern const RuleView gather_to_block_quantized;

/// Applies the rule everywhere, bodies included, and infers types first.
Pass gathers_to_block_quantized();

}  // namespace graft::inline v1
