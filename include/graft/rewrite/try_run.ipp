#pragma once
#include <graft/rewrite/try_run.hpp>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Result<Report> try_run(const Pass& pass, Model& model, Context& context) noexcept {
  try {
    return pass.run(model, context);
  } catch (...) {
    return detail::caught_error();
  }
}

GRAFT_INLINE Result<Report> try_run(const Pass& pass, Model& model) noexcept {
  Context context;
  return try_run(pass, model, context);
}

}  // namespace graft::inline v1
