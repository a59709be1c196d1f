#pragma once
#include <array>
#include <string>
#include <string_view>

#include <graft/graph/error.hpp>
#include <graft/quantize/targets/onednn.hpp>
#include <graft/quantize/targets/ort_cpu.hpp>
#include <graft/quantize/targets/ort_cpu_here.hpp>
#include <graft/quantize/targets/paper.hpp>

namespace graft::inline v1::targets {

/// Every target that graft ships.
inline constexpr std::array all{&ort_cpu_x64, &ort_cpu_avx2, &ort_cpu_arm64, &onednn, &paper};

/// The target of that name, "ort-cpu-x64". Throws Error listing the names if there is none.
inline const Target& named(std::string_view name) {
  std::string names;
  for (const Target* const target : all) {
    if (target->name == name) return *target;
    names += (names.empty() ? "" : ", ") + std::string(target->name);
  }
  throw Error("there is no target '" + std::string(name) + "'; there are " + names).field("target");
}

}  // namespace graft::inline v1::targets
