#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

/// Makes the fused operators that the runtime has a kernel for and does not always make itself: normalizations, Gelus,
/// embeddings, attention, rotary embeddings, normalizations of sums. The model is simplified first and last, and where
/// a LayerNormalization is written in primitives, raised to opset 17. The rules look at what is computed, so that one
/// pass serves all kinds of models.
///
///     transformer_fusions(fused_operators::ort_cpu).run(model);
///
/// Values stay, to rounding; approximations of Gelu stay what they are. Types are inferred, and declared for what the
/// runtime's own inference does not know. For part of it, chain the passes of transformer/fuse, or take their rules:
/// transformer_rules(). options: of the simplify() first and last.
Pass transformer_fusions(const FusedOperators& runtime = fused_operators::ort_cpu, SimplifyOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/transformer_fusions.ipp>
#endif
