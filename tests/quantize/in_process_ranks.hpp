#pragma once
#include <barrier>
#include <cstddef>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include <graft/quantize/weights/ranks.hpp>

namespace graft {

/// Runs work(ranks) of so many ranks of this process, each on its own thread, and returns the results by rank.
inline std::vector<std::string> by_ranks(std::size_t count, const std::function<std::string(Ranks)>& work) {
  std::vector<std::string> bytes(count);
  std::barrier<> barrier(static_cast<std::ptrdiff_t>(count));
  std::vector<std::future<std::string>> running;
  for (std::size_t rank = 0; rank < count; ++rank)
    running.push_back(std::async(std::launch::async, [&, rank] {
      return work({rank, count, [&, rank](std::string own) {
                     bytes[rank] = std::move(own);
                     barrier.arrive_and_wait();
                     std::vector<std::string> all = bytes;
                     barrier.arrive_and_wait();
                     return all;
                   }});
    }));
  std::vector<std::string> results;
  for (std::future<std::string>& result : running) results.push_back(result.get());
  return results;
}

}  // namespace graft
