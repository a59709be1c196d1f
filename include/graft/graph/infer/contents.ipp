#pragma once
#include <graft/config.hpp>
#include <graft/graph/infer/contents.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<Ints> Contents::ints() const {
  Ints values;
  for (const Integer& element : elements) {
    if (!element.known()) return std::nullopt;
    values.push_back(element.value());
  }
  return values;
}

}  // namespace graft::inline v1
