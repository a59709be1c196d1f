#pragma once
#include <string_view>

#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1::targets {

/// ONNX Runtime on the processor that runs this program. cpuid says whether it has VNNI and AMX; where that is
/// unknown, the target is x86-64 with VNNI. What is quantized for it runs on every release since 1.24.
const Target& ort_cpu_here();

/// The same as of a release, whose kernels it then knows exactly: "1.31.1", as the runtime tells its version. Throws
/// Error as at_release() does.
const Target& ort_cpu_here(std::string_view version);

}  // namespace graft::inline v1::targets
