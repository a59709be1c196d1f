#pragma once
#include <cstddef>

#include <graft/evaluate/kernels.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(constants); a Constant node
// After:   an initializer
//
// f is deterministic, without bodies, and one that the executor has; its result is small, or takes the place of
// constants that nothing else reads, and the results of folding let the model grow little; it is used by nodes only,
// and no quantizer's unless asked for; not for a Constant in a function, which has no initializers.

struct FoldOptions {
  /// Outputs of more bytes than this are left to be computed where they are larger than the node's inputs: an Expand is
  /// smaller than what it makes. An input that the node reads twice counts once.
  std::size_t most_bytes = 1 << 20;
  /// Outputs that are no larger than the node's inputs are left where they let the model grow by more than this,
  /// because others read the inputs: the transposed weight of an output layer that is tied to an embedding would be a
  /// second copy of it.
  std::size_t most_copied_bytes = 1 << 16;
  /// By how many bytes the constants of a model may grow in all.
  std::size_t most_growth = 1 << 24;
  /// Outputs of more than most_bytes are left, whatever the inputs. For where rules follow that remove nodes: two
  /// Transposes of a large weight that undo each other are not worth two copies of it.
  bool leaves_large = false;
  /// No kernel may allocate a larger tensor on the way to its results, unless it has no more bytes than the node's
  /// inputs and outputs together; a node for which one would stays.
  std::size_t most_working_bytes = 1 << 28;
  /// Constant nodes become initializers, and nothing is computed.
  bool only_constants = false;
  /// Dequantized constants are what a runtime computes in integers: they stay unless asked for.
  bool quantizers = false;
  /// What computes. Operators that graft has no schema of fold if they have a kernel here, which is then taken to make
  /// the same of the same each time, and if the Context has their shape function. Must outlive the pass.
  const Kernels* kernels = &Kernels::standard();
};

/// Computes what depends on constants alone, in the main graph, bodies and functions; Constant nodes become
/// initializers, which functions have not. Operators that the executor lacks, random ones, those with bodies and those
/// whose result would be large stay; the report notes, once in a run, those that fail, and that constants would grow
/// too much. Once the Context is cancelled, what is left stays as it is. Throws Error for constants that shapes depend
/// on and that cannot be read.
Pass fold_constants(FoldOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fold_constants.ipp>
#endif
