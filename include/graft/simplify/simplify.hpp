#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/fold_constants.hpp>

namespace graft::inline v1 {

/// Steps of simplify() that do not help every runtime.
struct SimplifyOptions {
  FoldOptions fold{};
  /// Joins MatMuls of one value by constants, with their biases, into one MatMul and a Split: merge_matmuls(). This
  /// hides attention from a runtime that has an operator for it.
  bool merge_matmuls = false;
  /// Turns MatMul and Add over batches of known extents into Reshape, Gemm and Reshape: batched_matmul_add_to_gemm.
  bool gemm_of_batches = false;
  /// Keeps a Mul, Div, Add, Sub or BatchNormalization in front of a Conv or Gemm, if folding would make the weight or
  /// input round much worse to 8 bits. Example: it brings features of different units to one scale.
  bool keep_weights_even = false;
};

/// Folds constants, merges equal computations, applies shrinking_rules() and removes dead code, until nothing changes.
/// Assumes that equal symbols are equal extents. Assumes, too, that extents beside a -1 in the target of a Reshape are
/// at least 1: known_reshape_target.
Pass simplify(SimplifyOptions options = {});

}  // namespace graft::inline v1
