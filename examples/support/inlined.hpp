#pragma once
#include <utility>

#include <graft/graph.hpp>
#include <graft/surgery.hpp>

/// The model with its local functions inlined. Functions cannot be evaluated, and have neither costs nor ranges.
inline graft::Model inlined(graft::Model model) {
  if (!model.functions().empty()) graft::inline_functions().run(model);
  return model;
}
