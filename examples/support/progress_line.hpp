#pragma once
#include <chrono>
#include <cstddef>
#include <cstdio>

#include <unistd.h>

/// Shows the number of finished samples, their rate, and the remaining time on standard error: one line that is
/// rewritten on a terminal, else a line for each tenth.
class ProgressLine {
 public:
  /// begun: the number of samples that were finished before.
  explicit ProgressLine(const char* what, std::size_t begun = 0) : what_(what), begun_(begun) {}

  void operator()(std::size_t done, std::size_t total) {
    if (done == begun_ || total == 0) return;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    const std::size_t tenth = done * 10 / total;
    if (!terminal && tenth == tenth_) return;
    tenth_ = tenth;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double rate = static_cast<double>(done - begun_) / spent.count();
    std::fprintf(stderr, "%s%s %zu/%zu, %.1f a second, %.0f s left%s", terminal ? "\r\033[K" : "", what_, done, total,
                 rate, static_cast<double>(total - done) / rate, terminal && done < total ? "" : "\n");
  }

 private:
  const char* what_;
  std::size_t begun_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t tenth_ = 0;
};
