#pragma once
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// The memory that this process needs in addition to what it has when this object is made. Linux alone can tell it.
class PeakMemory {
 public:
  PeakMemory() {
    give_back();
    before_ = read("VmRSS:");
  }

  /// Forgets the peak so far.
  void reset() {
    give_back();
    std::ofstream marks("/proc/self/clear_refs");
    is_reset_ = static_cast<bool>(marks << 5 << std::flush);
  }

  /// The most bytes since reset(); 0 if they are fewer than before.
  std::optional<std::size_t> bytes() const {
    const std::optional<std::size_t> peak = is_reset_ ? read("VmHWM:") : std::nullopt;
    if (!peak || !before_) return std::nullopt;
    return *peak > *before_ ? *peak - *before_ : 0;
  }

 private:
  /// Returns freed memory to the system.
  static void give_back() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  static std::optional<std::size_t> read(const std::string& mark) {
    std::ifstream status("/proc/self/status");
    std::size_t kilobytes = 0;
    for (std::string word; status >> word;)
      if (word == mark && status >> kilobytes) return kilobytes * 1024;
    return std::nullopt;
  }

  std::optional<std::size_t> before_;
  bool is_reset_ = false;
};
