#pragma once
#include <graft/qonnx/cleanup/set_input_shapes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// Throws Error unless the declared shape allows these extents.
inline void check_shape(const Value& input, const Dims& dims) {
  const Shape declared = input.shape();
  if (declared.known() && declared.rank() != dims.size())
    throw Error("has " + std::to_string(declared.rank()) + " axes, not " + std::to_string(dims.size()))
        .field(input.name());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) throw Error("an extent must not be negative:  " + std::to_string(dims[i])).field(input.name());
    if (declared.known() && declared[i].known() && declared[i].value() != dims[i])
      throw Error("has an extent of " + std::to_string(declared[i].value()) + " along axis " + std::to_string(i) +
                  ", not " + std::to_string(dims[i]))
          .field(input.name());
  }
}

inline Report give_shapes(Graph& graph, const std::map<std::string, Dims>& shapes) {
  Report report;
  Transaction transaction(graph);
  for (const auto& [name, dims] : shapes) {
    const auto found = std::ranges::find_if(
        graph.inputs(), [&wanted = name](const Value* input) { return input->name() == wanted; });
    if (found == graph.inputs().end()) throw Error("is not an input of the graph").field(name);
    check_shape(**found, dims);
    const Shape shape{std::span<const std::int64_t>(dims)};
    if ((*found)->shape() == shape) continue;
    graph.declare_type(**found, tensor_type((*found)->dtype(), shape));
    ++report.changes;
  }
  if (report.changes != 0) {
    for (Value* const output : graph.outputs())  // their declared types belong to the old shapes
      if (output->producer() != nullptr) graph.declare_type(*output, tensor_type(output->dtype()));
    infer_shapes(graph, {.refresh = true,
                         .problem = [](const Node& node, const Reason& reason) {
                           throw Error("does not take the new shapes: " + to_string(reason)).node(display_name(node));
                         }});
    for (Value* const output : graph.outputs())
      if (output->type() != nullptr) graph.declare_type(*output, onnx::TypeProto(*output->type()));
  }
  transaction.keep();
  return report;
}

}  // namespace detail

GRAFT_INLINE Pass set_input_shapes(std::map<std::string, Dims> shapes) {
  return detail::knowing_qonnx(
      pass("set_input_shapes", [shapes = std::move(shapes)](Graph& graph, Context&) {
        return detail::give_shapes(graph, shapes);
      }).preserves_all());
}

}  // namespace graft::inline v1::qonnx
