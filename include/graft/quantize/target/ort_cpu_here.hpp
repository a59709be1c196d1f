#pragma once
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::targets {

/// ONNX Runtime on the processor that runs this program. cpuid says whether it has VNNI; where that is unknown, the
/// target is x86-64 with VNNI.
const Target& ort_cpu_here();

}  // namespace graft::inline v1::targets

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/ort_cpu_here.ipp>
#endif
