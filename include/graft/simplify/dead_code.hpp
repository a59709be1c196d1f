#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y = f(x), with y used by nothing; an initializer that nothing reads
// After:   nothing
//
// Before:  y, z = f(x), with z, which is optional, used by nothing
// After:   y = f(x)                  z has no name any more, so that outputs behind it keep their places
//
// y and z are no outputs of their graph; the initializer is no graph input, unless asked for, and no
// quantization_annotation of a tensor with a use names it. BatchNormalization in training keeps its outputs: before
// opset 14 they mean that it is in training, and since then ONNX Runtime needs them.

struct DeadCodeOptions {
  bool nodes = true;  ///< and optional outputs
  bool initializers = true;
  /// Initializers that are graph inputs too and that nothing reads go, and the inputs with them: the signature changes.
  /// Inputs without a default always stay.
  bool overridable = false;
};

/// Erases nodes whose outputs nothing uses, and initializers that nothing reads, in the main graph, bodies and
/// functions. Graph inputs stay: they are the signature.
Pass eliminate_dead_code(DeadCodeOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/dead_code.ipp>
#endif
