#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

/// Makes the fused operators that the runtime has a kernel for, and does not always make itself: normalizations, Gelus,
/// embeddings, attention, rotary embeddings, normalizations of sums. Simplifies the model first and last. Raises it to
/// opset 17 if a LayerNormalization is written in primitives. The rules match the computation, so that one pass serves
/// all kinds of models.
///
///     transformer_fusions(fused_operators::ort_cpu).run(model);
///
/// Values stay, to rounding; approximations of Gelu stay approximations. Types are inferred, and declared where the
/// runtime's own inference cannot infer them. For a part of it, chain the passes of transformer/fuse, or use their
/// rules: transformer_rules(). options: for the simplify() first and last.
Pass transformer_fusions(const FusedOperators& runtime = fused_operators::ort_cpu, SimplifyOptions options = {});

}  // namespace graft::inline v1
