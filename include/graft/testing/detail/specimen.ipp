#pragma once
#include <graft/testing/detail/specimen.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE Model Specimen::copy() const {
  Model model(*proto_, data_);
  model.add_operators(operators_);
  infer_shapes(model.graph(), {.name_unknown = false});
  for (Graph* const function : model.functions()) infer_shapes(*function, {.name_unknown = false});
  return model;
}

}  // namespace graft::inline v1::detail
