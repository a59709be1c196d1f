#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

/// The peak of anonymous memory of the process, sampled every millisecond. The system records only the peak of all
/// resident memory, which includes pages of files that it can take back at any time.
class AnonymousMemory {
 public:
  AnonymousMemory() : watcher_([this] {
    while (!done_) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }) {}
  AnonymousMemory(const AnonymousMemory&) = delete;
  AnonymousMemory& operator=(const AnonymousMemory&) = delete;
  ~AnonymousMemory() {
    done_ = true;
    watcher_.join();
  }

  std::size_t peak() const { return peak_; }

 private:
  void look() {
    std::ifstream status("/proc/self/status");
    std::string key;
    while (status >> key) {
      std::size_t kibibytes = 0;
      if (key == "RssAnon:" && status >> kibibytes) peak_ = std::max(peak_.load(), kibibytes << 10);
      std::getline(status, key);
    }
  }

  std::atomic<bool> done_{false};
  std::atomic<std::size_t> peak_{0};
  std::thread watcher_;
};
