#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  y = f(x), with y unused; an unused initializer
// After:   nothing
//
// Before:  y, z = f(x), with z optional and unused
// After:   y = f(x)                  z loses its name, so that later outputs keep their places
//
// y and z are not graph outputs. The initializer is not a graph input, unless overridable is set, and no
// quantization_annotation of a used tensor names it. A BatchNormalization in training keeps its outputs. Before opset
// 14 they mark it as training; since then ONNX Runtime needs them.

struct DeadCodeOptions {
  bool nodes = true;  ///< nodes and optional outputs
  bool initializers = true;
  /// Removes unused initializers that are graph inputs, too, and those inputs with them: the signature changes. Inputs
  /// without a default always stay.
  bool overridable = false;
};

/// Erases nodes with unused outputs and unused initializers in the main graph, bodies and functions. Graph inputs stay,
/// because they are the signature.
Pass eliminate_dead_code(DeadCodeOptions options = {});

}  // namespace graft::inline v1
