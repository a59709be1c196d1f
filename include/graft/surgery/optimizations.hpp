#pragma once
#include <string_view>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/registry.hpp>

namespace graft::inline v1 {

/// A peephole optimization by the name that it has elsewhere: onnx-optimizer's, or onnxscript's in the same spelling.
struct Optimization {
  std::string_view summary;  ///< one line
  Pass pass;                 ///< bears the name; to be run by itself, or as a step of a pipeline
};

/// The optimizations that other tools know by name, each as graft does it: under conditions that keep values and
/// signature. simplify() does all of them over and over, but for what makes a model larger or serves one runtime only:
/// eliminate_unused_initializer leaves graph inputs, and fuse_qkv and gemm_to_matmul_add are for who asks for them.
/// (The table stands here, and not beside simplify_rules(), for some of the passes are about functions.)
Registry<Optimization> optimizations();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/optimizations.ipp>
#endif
