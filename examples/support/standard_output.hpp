#pragma once
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>

#include <graft/graph/error.hpp>

/// Throws graft::Error if standard output could not be written completely, for example on a full disk. Otherwise the
/// program would report success after half a listing.
inline void flush_standard_output() {
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw graft::Error(std::string("cannot be written: ") + (errno != 0 ? std::strerror(errno) : "a write failed"))
      .file("standard output");
}
