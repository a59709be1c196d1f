#include <graft/evaluate/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/resource.h>

using namespace graft;

namespace {

/// Whether each task of so many ran once.
bool runs_each_once(ThreadPool& pool, std::int64_t count) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
  pool(count, [&](std::int64_t i) { ++times[static_cast<std::size_t>(i)]; });
  for (const std::atomic<int>& each : times)
    if (each != 1) return false;
  return true;
}

}  // namespace

TEST_CASE("a pool runs every task once, however many and how often") {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (std::int64_t round = 0; round < 500; ++round) REQUIRE(runs_each_once(pool, round % 9));
    CHECK(runs_each_once(pool, 5000));
  }
}

TEST_CASE("a pool that has slept wakes") {
  ThreadPool pool(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(runs_each_once(pool, 100));
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need the address space
TEST_CASE("a pool does with the threads that the system starts") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit tight = before;
  tight.rlim_cur = pages * 4096 + (std::size_t{1} << 26);  // the stacks of a few threads
  REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  {
    ThreadPool pool(1000);
    CHECK(runs_each_once(pool, 50));
  }
  setrlimit(RLIMIT_AS, &before);
}
#endif

TEST_CASE("a pool that nobody uses ends") {
  for (int i = 0; i < 50; ++i) const ThreadPool pool(3);
}

TEST_CASE("a task may ask for more, and so may several threads at a time") {
  ThreadPool pool(2);
  std::atomic<int> inner{0};
  pool(4, [&](std::int64_t) { pool(5, [&](std::int64_t) { ++inner; }); });
  CHECK(inner == 20);
  std::atomic<bool> good{true};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round)
        if (!runs_each_once(pool, 7)) good = false;
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(good);
}
