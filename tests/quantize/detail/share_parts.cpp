#include <graft/quantize/detail/share_parts.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/evaluate/thread_pool.hpp>

#include "quantize/in_process_ranks.hpp"

using namespace graft;

namespace {

struct Number {
  std::size_t value = 0;
};
std::string to_bytes(const Number& number) { return std::to_string(number.value); }
void from_bytes(std::string_view bytes, Number& number) { number.value = std::stoul(std::string(bytes)); }

}  // namespace

TEST_CASE("ranks and threads make every part once, and all get all in order", "[quantize]") {
  for (const std::size_t ranks : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{8}})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
      std::atomic<std::size_t> made = 0;
      const auto work = [&](const Ranks& own) {
        ThreadPool pool(2);
        const ParallelFor parallel(std::ref(pool));
        const auto make = [&](std::size_t i) {
          ++made;
          return Number{i * i};
        };
        std::string all;
        for (const Number& number : detail::shared_parts(own, &parallel, count, make))
          all += std::to_string(number.value) + " ";
        return all;
      };
      for (const std::string& all : by_ranks(ranks, work))
        CHECK(all == std::string("0 1 4 9 16 25 36 ").substr(0, count == 7 ? 17 : 2 * count));
      CHECK(made == count);
    }
}

TEST_CASE("an Error of one rank is thrown on all", "[quantize]") {
  const auto work = [](const Ranks& ranks) -> std::string {
    const auto make = [](std::size_t i) { return i == 4 ? throw Error("too long").node("n") : Number{i}; };
    std::string taken;
    try {
      detail::share_parts(ranks, 6, make, [&](std::size_t i, const Number&) { taken += std::to_string(i); });
    } catch (const Error& error) {
      return taken + error.what();
    }
    return taken;
  };
  for (const std::size_t ranks : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{8}})
    for (const std::string& made : by_ranks(ranks, work)) CHECK(made == "0123node 'n': too long");
}

TEST_CASE("ranks agree on the least number", "[quantize]") {
  const auto work = [](const Ranks& ranks) {
    const double own = ranks.rank == 1 ? -0.1 : static_cast<double>(ranks.rank);
    return std::to_string(detail::least(ranks, own) == (ranks.count == 1 ? 0 : -0.1)) +
           std::to_string(detail::on_all(ranks, ranks.rank != 1)) + std::to_string(detail::on_all(ranks, true));
  };
  CHECK(by_ranks(1, work) == std::vector<std::string>{"111"});
  CHECK(by_ranks(3, work) == std::vector<std::string>(3, "101"));
}
