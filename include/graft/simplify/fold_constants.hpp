#pragma once
#include <cstddef>

#include <graft/evaluate/kernels.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(constants); a Constant node
// After:   an initializer
//
// f is deterministic, has no bodies, and the executor has its kernel. Its result is small, or replaces constants
// without other readers. In all, folding lets the model grow little. Only nodes read the result, and no quantizer reads
// it unless quantizers is set. A Constant in a function stays, because functions have no initializers.

struct FoldOptions {
  /// Outputs of more bytes stay computed if they are larger than the node's inputs: an Expand is smaller than its
  /// result. An input that the node reads twice counts once.
  std::size_t max_bytes = 1 << 20;
  /// Outputs that are no larger than the node's inputs stay computed if they make the model grow by more bytes, because
  /// the inputs have other readers. Example: an output layer that is tied to an embedding transposes it, and the
  /// transposed weight would be a second copy.
  std::size_t max_copied_bytes = 1 << 16;
  /// The number of bytes by which the constants of a model may grow in all.
  std::size_t max_growth = 1 << 24;
  /// Leaves all outputs of more than max_bytes, however large the inputs are. Use it if later rules remove nodes: two
  /// Transposes of a large weight may cancel, and two copies of the weight would be wasted.
  bool leaves_large = false;
  /// A node stays if its kernel would allocate a tensor of more bytes, unless the node's inputs and outputs together
  /// have as many.
  std::size_t max_working_bytes = 1 << 28;
  /// Turns Constant nodes into initializers, and computes nothing.
  bool only_constants = false;
  /// Folds quantizers of constants, too. By default they stay, because a runtime computes dequantized constants in
  /// integers.
  bool quantizers = false;
  /// The kernels that compute, beside those of the Context's operators. An operator without a schema folds if it has a
  /// kernel and a shape function; graft then assumes that it is deterministic. The kernels must outlive the pass.
  const Kernels* kernels = &Kernels::standard();
};

/// Computes nodes that depend on constants alone, in the main graph, bodies and functions. Constant nodes become
/// initializers, except in functions. Nodes stay if the executor lacks the operator, if it is random or has bodies, or
/// if the result would be large. The report notes, once in a run, nodes that fail, and that constants would grow too
/// much. If the Context is cancelled, the remaining nodes stay as they are. Throws Error if shapes depend on constants
/// that cannot be read.
Pass fold_constants(FoldOptions options = {});

}  // namespace graft::inline v1
