#pragma once
#include <graft/qonnx/cleanup/cleanup.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/qonnx/cleanup/arithmetic.hpp>
#include <graft/qonnx/cleanup/fold_transpose_into_quantized_constant.hpp>
#include <graft/qonnx/cleanup/names.hpp>
#include <graft/qonnx/cleanup/parameters.hpp>
#include <graft/qonnx/cleanup/set_input_shapes.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/canonical_operators.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/known_contents.hpp>
#include <graft/surgery/change_batch.hpp>
#include <graft/surgery/inputs.hpp>
#include <graft/surgery/shapes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Since IR 4, an initializer need not be an input.
inline Pass freeze_static_inputs() {
  return pass("raise_ir_version",
              [](Graph& graph, Context&) {
                Report report;
                if (graph.model().ir_version() >= 4) return report;
                graph.model().set_ir_version(4);
                report.changes = 1;
                return report;
              })
             .preserves_all() |
         freeze_inputs();
}

}  // namespace detail

GRAFT_INLINE Pass cleanup(CleanupOptions options) {
  Pass steps = canonical_operators();
  if (options.batch) steps |= change_batch(*options.batch);
  if (!options.input_shapes.empty()) steps |= set_input_shapes(options.input_shapes);
  FoldOptions fold;
  if (!options.keep_quantizers) {
    fold.quantizers = true;
    fold.kernels = &kernels();
  }
  steps |= detail::freeze_static_inputs() | graft::infer_shapes() | fixpoint(known_contents) | fold_constants(fold) |
           fold_transpose_into_quantized_constant() | unique_parameters() | eliminate_dead_code();
  if (!options.keep_quantizers) steps |= canonical_operators();  // folding may leave an unused import
  if (options.extract_biases) steps |= extract_bias() | unique_parameters();
  steps |=
      graft::infer_shapes() | numbered_node_names() | readable_tensor_names({.signature = options.rename_signature});
  return detail::knowing_qonnx(steps).named("cleanup");
}

}  // namespace graft::inline v1::qonnx
