#pragma once
#include <array>
#include <string_view>

#include <graft/quantize/target/onednn.hpp>
#include <graft/quantize/target/openvino_cpu.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/quantize/target/paper.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::targets {

/// Every target that graft ships.
inline constexpr std::array all{&ort_cpu_x64, &ort_cpu_avx2, &ort_cpu_arm64, &onednn, &openvino_cpu, &paper};

/// The target of that name, "ort-cpu-x64". Throws Error listing the names if there is none.
const Target& named(std::string_view name);

}  // namespace graft::inline v1::targets

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/targets.ipp>
#endif
