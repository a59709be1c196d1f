#pragma once
#include <cstddef>
#include <cstdio>

#include <unistd.h>

/// How many samples are done: one line that is rewritten on a terminal, else a line for each tenth. On standard error.
class CalibrationProgress {
 public:
  void operator()(std::size_t done, std::size_t total) {
    if (isatty(STDERR_FILENO)) {
      std::fprintf(stderr, "\rcalibrating %zu/%zu%s", done + 1, total, done + 1 == total ? "\n" : "");
    } else if ((done + 1) * 10 / total != done * 10 / total) {
      std::fprintf(stderr, "calibrating %zu/%zu\n", done + 1, total);
    }
  }
};
