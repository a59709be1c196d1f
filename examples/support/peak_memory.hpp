#pragma once
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// The greatest memory of this process since this object was made. Linux alone can tell it.
class PeakMemory {
 public:
  /// Returns freed memory to the system first, and resets the kernel's mark.
  PeakMemory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    std::ofstream marks("/proc/self/clear_refs");
    is_reset_ = static_cast<bool>(marks << 5 << std::flush);
  }

  std::optional<std::size_t> bytes() const {
    std::ifstream status("/proc/self/status");
    std::size_t kilobytes = 0;
    for (std::string word; is_reset_ && status >> word;)
      if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
    return std::nullopt;
  }

 private:
  bool is_reset_ = false;
};
