#pragma once
#include <graft/transformer/transformer_fusions.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pipeline.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/transformer/fuse/gelu.hpp>
#include <graft/transformer/fuse/layer_normalization.hpp>
#include <graft/transformer/fuse/simplified_layer_normalization.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass transformer_fusions(const FusedOperators& runtime) {
  // A normalization is named before it takes in what stands in front of it. Attention goes in between: it looks for
  // sums and biases that fuse_skip_layer_normalizations() would take.
  const Pass all = simplify() | fuse_layer_normalizations(runtime) | fuse_simplified_layer_normalizations(runtime) |
                   fuse_gelus(runtime) | fuse_skip_layer_normalizations(runtime);
  return on_typed_graph("transformer_fusions", all);
}

}  // namespace graft::inline v1
