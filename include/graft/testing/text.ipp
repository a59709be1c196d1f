#pragma once
#include <graft/testing/text.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/graph_reader.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Model graph(std::string_view text) {
  Model model{detail::GraphReader(text).read()};
  infer_shapes(model.graph(), {.name_unknown = false});
  for (Value* const output : model.graph().outputs()) {
    if (output->type() != nullptr && !output->is_graph_input()) model.graph().declare_type(*output, *output->type());
  }
  model.commit();
  return model;
}

}  // namespace graft::inline v1
