#pragma once
#include <graft/testing/given.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Given::Given(const Model& model) : specimen_(model) {
  context_.executor = node_executor();
}

GRAFT_INLINE Given Given::with(Context context) const {
  Given given = *this;
  given.context_ = std::move(context);
  return given;
}

GRAFT_INLINE Given given(Model& model) {
  model.commit();
  return given(std::as_const(model));
}

}  // namespace graft::inline v1
