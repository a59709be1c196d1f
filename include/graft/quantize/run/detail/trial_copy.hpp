#pragma once
#include <graft/graph/model.hpp>
#include <graft/quantize/detail/silent.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// A copy of a model that passes have changed, and its facts then.
struct TrialCopy {
  TrialCopy(Model& from, const Context& known, const Pass& passes) : model(from.clone()), context(silent(known)) {
    passes.run(model, context);
  }

  Model model;
  Context context;
};

}  // namespace graft::inline v1::detail
