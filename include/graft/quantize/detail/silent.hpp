#pragma once
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// The context for a trial, with the same facts and without a log.
inline Context silent(Context context) {
  context.log = {};
  context.progress = {};
  return context;
}

}  // namespace graft::inline v1::detail
