#pragma once
#include <graft/qonnx/layout/to_channels_last.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/qonnx/cleanup/fold_transpose_into_quantized_constant.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/layout/absorb_transposes.hpp>
#include <graft/qonnx/layout/insert_channels_last.hpp>
#include <graft/qonnx/layout/sink_transposes.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/drivers.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/simplify/dead_code.hpp>
#include <graft/simplify/fold_constants.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/surgery/shapes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass to_channels_last(ChannelsLast signature) {
  const Pass count = pass("count_transposes", [](Graph& graph, Context&) {
                       Report report;
                       std::size_t left = 0;
                       for (const Graph* const scope : scopes_of(graph))
                         for (const Node& node : scope->nodes()) left += node.is("Transpose") ? 1 : 0;
                       report.notes.push_back(std::to_string(left) + " Transposes remain");
                       return report;
                     }).preserves_all();
  Pass steps = eliminate_dead_code() | insert_channels_last();  // indices that nothing reads are no reason to stay
  if (signature.inputs || signature.outputs)
    steps = graft::convert_to_channels_last(std::move(signature)).preserves_all() | steps;
  steps |= sink_transposes() | absorb_transposes() | fixpoint(remove_transpose) |
           fold_transpose_into_quantized_constant() | fold_constants() | eliminate_dead_code() | graft::infer_shapes() |
           count;
  return detail::knowing_qonnx(steps).named("to_channels_last");
}

}  // namespace graft::inline v1::qonnx
