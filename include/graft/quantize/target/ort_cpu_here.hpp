#pragma once
#if defined(__x86_64__) && __has_include(<cpuid.h>)
#include <graft/quantize/target/target.hpp>

#endif

namespace graft::inline v1::targets {

/// ONNX Runtime on the processor that runs this program: whether that has VNNI says cpuid. What is not known to lack it
/// is taken for x86-64 with VNNI.
const Target& ort_cpu_here();

}  // namespace graft::inline v1::targets

#ifndef GRAFT_COMPILED
#include <graft/quantize/target/ort_cpu_here.ipp>
#endif
