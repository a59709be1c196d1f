#pragma once
#include <graft/lower/detail/graph_ends.hpp>

#include <cstddef>
#include <string>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void hand_out(Value& output, Value& by, const onnx::TypeProto& type) {
  Graph& graph = output.graph();
  const std::string name(output.name());
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i) == &output) graph.set_output(i, by);
  graph.rename(output, graph.fresh_name(name + "_within"));
  graph.rename(by, name);
  graph.declare_type(by, type);
}

}  // namespace graft::inline v1::detail
