#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/edits.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Edits::clear() {
  inserted.clear();
  changed.clear();
  freed.clear();
}

}  // namespace graft::inline v1
