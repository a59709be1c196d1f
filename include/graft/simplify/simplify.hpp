#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/fold_constants.hpp>

namespace graft::inline v1 {

/// What simplify() does beside what pays on any runtime.
struct SimplifyOptions {
  FoldOptions fold{};
  /// MatMuls of one value by constants, with their biases, become one and a Split: merge_matmuls(). It hides attention
  /// from a runtime that has an operator for it.
  bool merge_matmuls = false;
  /// MatMul and Add over batches of known extents become Reshape, Gemm and Reshape: batched_matmul_add_to_gemm.
  bool gemm_of_batches = false;
  /// Mul, Div, Add, Sub and BatchNormalization in front of a Conv or Gemm stay where its weight or input would round
  /// much worse to 8 bits with them folded in, as where they bring features of different units to one scale.
  bool keep_weights_even = false;
};

/// Folds constants, merges what is computed twice, applies shrinking_rules() and drops what nothing uses, again and
/// again until nothing changes. Extents that are equal symbols are taken to be equal, and those beside a -1 in the
/// target of a Reshape to be at least 1, symbols included: known_reshape_target.
Pass simplify(SimplifyOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/simplify.ipp>
#endif
