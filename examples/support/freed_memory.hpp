#pragma once
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Keeps what is freed, where the C library is glibc, for tensors that come next: memory that goes back to the system,
/// as that of large tensors does otherwise, comes again page by page, which takes as long as to quantize what it holds.
/// Small pieces are joined as they are freed: a graph has so many that to join all of them now and then takes longer.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MXFAST, 0);
#endif
}

/// Gives it back at once: else threads that run samples of many sizes each keep what these have freed.
inline void give_back_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
