#include <graft/rewrite/fewest.hpp>

#include <algorithm>
#include <cstddef>
#include <set>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

/// The items of `count` that a search keeps, and its trials.
std::set<std::size_t> kept(std::size_t count, const std::set<std::size_t>& needed, std::size_t& trials,
                           std::size_t most = 1000) {
  std::set<std::size_t> all;
  const auto has_needed = [&](const std::set<std::size_t>& items) {
    ++trials;
    return std::includes(items.begin(), items.end(), needed.begin(), needed.end());
  };
  const auto first = [](std::size_t n) {
    std::set<std::size_t> items;
    for (std::size_t i = 0; i < n; ++i) items.insert(i);
    return items;
  };
  const auto may_go_on = [&] { return trials < most; };
  const std::size_t length =
      shortest_prefix(count, [&](std::size_t n) { return has_needed(first(n)); }, may_go_on);
  std::set<std::size_t> items = first(length);
  const auto without = [&](std::size_t begin, std::size_t end) {
    std::set<std::size_t> fewer = items;
    for (std::size_t i = begin; i < end; ++i) fewer.erase(i);
    if (has_needed(fewer)) items = fewer;
  };
  if (length != 0) drop_needless(length - 1, without, may_go_on);
  return items;
}

}  // namespace

TEST_CASE("of ranked items those that are needed are found") {
  std::size_t trials = 0;
  CHECK(kept(0, {}, trials).empty());
  CHECK(trials == 0);
  CHECK(kept(1, {0}, trials) == std::set<std::size_t>{0});
  CHECK(trials == 0);
  CHECK(kept(8, {2, 5}, trials) == std::set<std::size_t>{2, 5});
  CHECK(trials == 3 + 5);
  trials = 0;
  const std::set<std::size_t> of_many = kept(1000, {3, 500}, trials);
  CHECK(of_many.contains(3));
  CHECK(of_many.contains(500));
  CHECK(of_many.size() <= 2 * 42);  // 12 groups
  CHECK(trials <= 10 + 12);
}

TEST_CASE("a search that must not go on returns what is enough") {
  std::size_t trials = 0;
  CHECK(kept(8, {2}, trials, 0).size() == 8);
  CHECK(kept(8, {2}, trials, 1).size() == 4);
}
