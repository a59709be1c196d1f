#pragma once
#include <vector>

#include <graft/evaluate/simd.hpp>

/// The instruction sets of this machine.
inline std::vector<graft::standard_kernels::Simd> present_sets() {
  using graft::standard_kernels::Simd;
  std::vector<Simd> sets;
  for (const Simd simd : {Simd::portable, Simd::avx2, Simd::avx512}) {
    if (graft::standard_kernels::has(simd)) sets.push_back(simd);
  }
  return sets;
}
