#pragma once
#include <graft/quantize/target/targets.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::targets {

GRAFT_INLINE const Target& named(std::string_view name) {
  std::string names;
  for (const Target* const target : all) {
    if (target->name == name) return *target;
    names += (names.empty() ? "" : ", ") + std::string(target->name);
  }
  throw Error("there is no target '" + std::string(name) + "'; there are " + names).field("target");
}

}  // namespace graft::inline v1::targets
