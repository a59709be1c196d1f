#pragma once
#include <graft/surgery/raise_opset.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/surgery/detail/raise_functions.hpp>
#include <graft/surgery/detail/raise_nodes.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void raise_opset(Model& model, int target) {
  if (model.opset() >= target) return;
  Transaction transaction(model.graph());
  detail::raise_main_graph(model, target);
  detail::raise_functions(model, target);
  transaction.keep();
}

GRAFT_INLINE Pass raise_opset(int target) {
  return pass("raise_opset",
              [target](Graph& graph, Context& context) {
                if (graph.opset() >= target) return;
                infer_shapes(graph, context.infer_options());
                raise_opset(graph.model(), target);
              })
      .provides(provides_opset(target))
      .preserves_all();
}

}  // namespace graft::inline v1
