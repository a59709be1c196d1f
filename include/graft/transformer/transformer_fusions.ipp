#pragma once
#include <graft/transformer/transformer_fusions.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/lower/einsum.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/simplify.hpp>
#include <graft/transformer/detail/fusions.hpp>
#include <graft/transformer/fuse/attention.hpp>
#include <graft/transformer/fuse/embed_layer_normalization.hpp>
#include <graft/transformer/fuse/gelu.hpp>
#include <graft/transformer/fuse/heads.hpp>
#include <graft/transformer/fuse/layer_normalization.hpp>
#include <graft/transformer/fuse/rotary_embedding.hpp>
#include <graft/transformer/fuse/scores.hpp>
#include <graft/transformer/fuse/shape.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

namespace graft::inline v1 {

namespace detail {

/// Adds value_info for the results of ONNX Runtime's own operators: not every tool infers them.
inline void declare_fused_types(Graph& graph) {
  for (Graph* const scope : scopes_of(graph)) {
    for (Node& node : scope->nodes()) {
      if (node.domain() != "com.microsoft" && !node.is("SimplifiedLayerNormalization")) continue;
      for (Value& output : node.outputs())
        if (!output.name().empty() && output.dtype() != DType::undefined && !output.is_graph_output())
          scope->declare_type(output, onnx::TypeProto(*output.type()));
    }
  }
}

}  // namespace detail

GRAFT_INLINE Pass transformer_fusions(const FusedOperators& runtime, SimplifyOptions options) {
  // Each normalization is fused before it absorbs the nodes before it. That of embeddings is first: only this operator
  // shows that its result is as long as the indices, for any positions, and masks have that length. Attention comes
  // before other sums: it looks for sums and biases that fuse_skip_layer_normalizations() would take.
  const Pass expanded = expand_attention_masks();
  const Pass standard = runtime.contains("Attention") ? expanded | put_heads_into_attention() : expanded;
  // Extents that one layer made known serve the masks of the next layers, so that these masks become one.
  const Pass extents = detail::on_retyped_graph("known_extents", fixpoint(extent_of_input));
  const Pass products = sweep(reshaped_gemm_to_matmul_add, einsum_to_matmul, einsum_to_transpose);
  const Pass all = simplify(options) | on_typed_graph("batched_products", products) |
                   fuse_layer_normalizations(runtime) | fuse_simplified_layer_normalizations(runtime) |
                   fuse_embed_layer_normalizations(runtime) | fuse_gelus(runtime) | fuse_rotary_embeddings(runtime) |
                   fuse_attention(runtime) | standard | fuse_skip_layer_normalizations(runtime) | extents |
                   simplify(options);  // shapes and constants from the fusions
  return around(on_typed_graph("transformer_fusions", all),
                [](const Pass& inner, Graph& graph, Context& context) {
                  Report report = inner.run(graph, context);
                  if (report.changes != 0) detail::declare_fused_types(graph);
                  return report;
                })
      .named("transformer_fusions");
}

}  // namespace graft::inline v1
