#include <graft/graph/min_cut.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

using graft::MinCut;

TEST_CASE("a least cut has the least capacity of all parts, and the fewest vertices of those", "[graph]") {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int round = 0; round < 300; ++round) {
    MinCut cut;
    const std::size_t inner = 1 + below(7), count = inner + 2;
    for (std::size_t v = 0; v < inner; ++v) CHECK(cut.add_vertex() == v + 2);
    std::vector<std::tuple<std::size_t, std::size_t, std::int64_t>> edges;
    for (std::size_t e = below(25); e-- > 0;) {
      const std::size_t from = below(count), to = below(count);
      const std::int64_t capacity = below(8) == 0 ? 1000000 : static_cast<std::int64_t>(below(10));
      edges.emplace_back(from, to, capacity);
      cut.add_edge(from, to, capacity);
    }
    std::int64_t least = MinCut::unlimited;
    std::vector<bool> best;
    std::size_t fewest = 0;
    for (std::size_t mask = 0; mask < std::size_t{1} << inner; ++mask) {
      std::vector<bool> side{true, false};
      std::size_t chosen = 0;
      for (std::size_t v = 0; v < inner; ++v) {
        side.push_back((mask >> v & 1) != 0);
        chosen += mask >> v & 1;
      }
      std::int64_t capacity = 0;
      for (const auto& [from, to, c] : edges) capacity += side[from] && !side[to] ? c : 0;
      if (capacity > least || (capacity == least && chosen >= fewest)) continue;
      least = capacity;
      fewest = chosen;
      best = side;
    }
    CHECK(cut.source_side() == best);
    CHECK(cut.source_side() == best);  // asked again
  }
}

TEST_CASE("long chains are cut at their weakest edge", "[graph]") {
  MinCut cut;
  constexpr std::size_t length = 100000, weakest = 70000;
  MinCut::Vertex last = MinCut::source;
  for (std::size_t i = 0; i < length; ++i) {
    const MinCut::Vertex next = cut.add_vertex();
    cut.add_edge(last, next, i == weakest ? 1 : 2);
    last = next;
  }
  cut.add_edge(last, MinCut::sink, MinCut::unlimited);
  const std::vector<bool> side = cut.source_side();
  for (std::size_t i = 0; i < length; ++i) REQUIRE(side[i + 2] == (i < weakest));
}

TEST_CASE("a long row of units takes a number of steps that grows with it, not with its square", "[graph]") {
  struct Row {
    std::int64_t gain, conversion;
    bool is_selected;
  };
  constexpr std::int64_t length = 8000;
  for (const auto& [gain, conversion, is_selected] :
       {Row{1, 1000000000, false}, Row{1, length / 2, false}, Row{3, 1000, true}}) {
    MinCut cut;
    std::vector<MinCut::Vertex> units;
    for (std::int64_t u = 0; u < length; ++u) units.push_back(cut.add_vertex());
    for (std::size_t u = 0; u < units.size(); ++u) {
      cut.add_edge(MinCut::source, units[u], gain);
      const MinCut::Vertex quantized = cut.add_vertex(), dequantized = cut.add_vertex();
      cut.add_edge(units[u], quantized, MinCut::unlimited);
      cut.add_edge(quantized, u > 0 ? units[u - 1] : MinCut::sink, conversion);
      cut.add_edge(units[u], dequantized, conversion);
      cut.add_edge(dequantized, u + 1 < units.size() ? units[u + 1] : MinCut::sink, MinCut::unlimited);
    }
    const std::vector<bool> side = cut.source_side();
    for (const MinCut::Vertex unit : units) REQUIRE(side[unit] == is_selected);
    CHECK(cut.steps() < 100 * length);
  }
}
