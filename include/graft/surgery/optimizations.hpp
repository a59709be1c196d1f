#pragma once
#include <string_view>
#include <vector>

#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// A peephole optimization by the name that another tool gives it: onnx-optimizer, or onnxscript in the same spelling.
struct Optimization {
  std::string_view summary;     ///< one line
  Pass pass;                    ///< of this name; runs by itself, or in a pipeline
  std::vector<RuleView> rules;  ///< the rules of the pass; empty for other algorithms
  std::string_view title;       ///< its title in documentation, if it differs: "Eliminate Deadend Nodes"
};

/// The optimizations that other tools know by name. graft's versions keep values and signature, so that
/// eliminate_unused_initializer leaves graph inputs. Optimizations that depend on types infer them first.
///
/// simplify() repeats all of them, with these exceptions: those of functions; fuse_qkv and gemm_to_matmul_add, which do
/// not help every runtime; eliminate_nop_monotone_argmax, which changes the index of ties. (The table is here, rather
/// than beside simplify_rules(), because passes over functions belong to this room.)
///
///   const Registry<Optimization> all = optimizations();
///   (all.at("eliminate_nop_pad").pass | all.at("fuse_bn_into_conv").pass).run(model);
///
Registry<Optimization> optimizations();

}  // namespace graft::inline v1
