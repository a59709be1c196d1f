#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/lower/rms_normalization.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::detail {

/// Replaces operators of the main domain that the standard does not have and onnx.checker refuses. The last step of
/// every mode: until then each is one node, as kernels take it.
inline void write_standard_operators(Model& model, Context& context, Report& all) {
  for (const Graph* const scope : with_bodies(model.graph()))
    for (const Node& node : scope->nodes())
      if (node.is("SimplifiedLayerNormalization")) {
        run_step(standard_rms_norms(), model, context, all);
        return;
      }
}

}  // namespace graft::inline v1::detail
