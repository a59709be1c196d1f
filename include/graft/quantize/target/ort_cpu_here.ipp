#pragma once
#include <graft/quantize/target/ort_cpu_here.hpp>

#if defined(__x86_64__) && __has_include(<cpuid.h>)
#include <cpuid.h>
#endif

#include <graft/config.hpp>
#include <graft/quantize/target/ort_cpu.hpp>
#include <graft/quantize/target/targets.hpp>

namespace graft::inline v1::targets {

GRAFT_INLINE const Target& ort_cpu_here() {
#if defined(__aarch64__)
  return ort_cpu_arm64;
#elif defined(__x86_64__) && __has_include(<cpuid.h>)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool has_avx512_vnni = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 11 & 1) != 0;
  const bool has_avx_vnni = __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax >> 4 & 1) != 0;
  const bool has_amx_int8 = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 25 & 1) != 0;
  if (has_amx_int8) return ort_cpu_amx;
  return has_avx512_vnni || has_avx_vnni ? ort_cpu_x64 : ort_cpu_avx2;
#else
  return ort_cpu_x64;
#endif
}

GRAFT_INLINE const Target& ort_cpu_here(std::string_view version) {
  return at_release(ort_cpu_here(), Release::parse(version));
}

}  // namespace graft::inline v1::targets
