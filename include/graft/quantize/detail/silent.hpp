#pragma once
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// The context for a trial: what is known stays, and nothing is told.
inline Context silent(Context context) {
  context.log = {};
  context.progress = {};
  return context;
}

}  // namespace graft::inline v1::detail
