#include <graft/evaluate/simd.hpp>

#include <catch2/catch.hpp>

#include "support/present_sets.hpp"

using namespace graft::standard_kernels;

namespace {

struct Widths {
  template <int Width>
  [[gnu::always_inline]] static void run(int* width) {
    *width = Width;
  }
};

int width_on(Simd simd) {
  int width = 0;
  run_simd<Widths>(&width, simd);
  return width;
}

}  // namespace

TEST_CASE("a loop runs with the width of the instruction set") {
  CHECK(width_on(Simd::portable) == 4);
#if defined(__x86_64__)
  if (has(Simd::avx2)) CHECK(width_on(Simd::avx2) == 8);
  if (has(Simd::avx512)) CHECK(width_on(Simd::avx512) == 16);
#endif
}

TEST_CASE("the widest instruction set of this machine is the default") {
  int width = 0;
  run_simd<Widths>(&width);
  CHECK(width == width_on(present_sets().back()));
}
