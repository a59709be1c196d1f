#pragma once
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// With glibc, keeps freed memory for the next tensors. Otherwise the memory of large tensors returns to the system,
/// and is mapped again page by page, which takes as long as quantizing the tensor. Small blocks are merged when they
/// are freed: a graph has so many that merging all of them from time to time takes longer.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MXFAST, 0);
#endif
}

/// Returns freed memory to the system at once. Otherwise each thread that runs samples of many sizes keeps its freed
/// memory.
inline void give_back_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
