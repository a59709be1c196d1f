#pragma once
#include <array>
#include <string>
#include <string_view>

#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/onednn.hpp>
#include <graft/quantize/target/openvino_cpu.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/quantize/target/paper.hpp>
#include <graft/quantize/target/qnn_htp.hpp>
#include <graft/quantize/target/tensorrt.hpp>

namespace graft::inline v1::targets {

/// Every target that graft ships.
inline constexpr std::array all{&ort_cpu_x64, &ort_cpu_amx,  &ort_cpu_avx2, &ort_cpu_arm64,
                                &onednn,      &openvino_cpu, &tensorrt,     &qnn_htp,
                                &qnn_htp_v69, &qnn_htp_v68,  &paper};

/// Their names: "ort-cpu-x64, ort-cpu-amx, ...".
std::string names();

/// The target of that name, "ort-cpu-x64", or as of a release of its runtime, "ort-cpu-x64@1.31". Throws Error listing
/// the names if there is none, or as at_release() and Release::parse() do.
const Target& named(std::string_view name);

/// A target of `all` as of a release: it is named after the release that changed it last, "ort-cpu-x64@1.31". The
/// target itself if none did. The changes of ONNX Runtime were measured on x86-64 with VNNI; its other targets have
/// the same, unmeasured. Throws Error for a target that is not of `all`, be it a copy, for a release before the first
/// that is known, and for a runtime of which no releases are.
const Target& at_release(const Target& target, Release release);

}  // namespace graft::inline v1::targets
