#pragma once
#include <graft/quantize/place/in_float.hpp>

#include <graft/config.hpp>
#include <graft/quantize/detail/rename_key.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void InFloat::rename_node(std::string_view from, std::string_view to) {
  detail::rename_key(reasons, from, to);
}

}  // namespace graft::inline v1
