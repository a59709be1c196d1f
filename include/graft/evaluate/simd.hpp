#pragma once
#include <utility>

namespace graft::inline v1::standard_kernels {

/// Instruction sets for which loops are compiled, for any compiler flags; one is chosen at run time. A loop is a class
/// with an always_inline template `run<width>(work)`, which is inlined into a function compiled for the chosen set.
enum class Simd { portable, avx2, avx512 };  // avx512: with VL, BW and DQ, as Xeon has since 2017

struct Portable {
  static constexpr int width = 4;
  template <class Loop, class Work>
  static void run(const Work& work) {
    Loop::template run<width>(work);
  }
};

#if defined(__x86_64__)
struct Avx2 {
  static constexpr int width = 8;
  template <class Loop, class Work>
  [[gnu::target("avx2,fma")]] static void run(const Work& work) {
    Loop::template run<width>(work);
  }
};

struct Avx512 {
  static constexpr int width = 16;
  template <class Loop, class Work>
  [[gnu::target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]] static void run(const Work& work) {
    Loop::template run<width>(work);
  }
};

inline bool has(Simd simd) {
  switch (simd) {
    case Simd::avx512:
      return has(Simd::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    case Simd::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    default: return true;
  }
}

/// Calls f.operator()<the class of the set>().
template <class F>
decltype(auto) visit_simd(Simd simd, F&& f) {
  switch (simd) {
    case Simd::avx512: return f.template operator()<Avx512>();
    case Simd::avx2: return f.template operator()<Avx2>();
    default: return f.template operator()<Portable>();
  }
}
#else
inline bool has(Simd simd) { return simd == Simd::portable; }

template <class F>
decltype(auto) visit_simd(Simd, F&& f) {
  return f.template operator()<Portable>();
}
#endif

inline Simd best_simd() {
  static const Simd best = has(Simd::avx512) ? Simd::avx512 : has(Simd::avx2) ? Simd::avx2 : Simd::portable;
  return best;
}

/// Runs the loop on the best instruction set, or on the given one.
template <class Loop, class Work>
void run_simd(const Work& work, Simd simd = best_simd()) {
  visit_simd(simd, [&]<class Set>() { Set::template run<Loop>(work); });
}

}  // namespace graft::inline v1::standard_kernels
