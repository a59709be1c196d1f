#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace graft::inline v1::detail {

/// Parts the source from the sink where the capacities of the edges that lead across are least in sum. Dinic,
/// Algorithm for solution of a problem of maximum flow in networks with power estimation (1970).
class MinCut {
 public:
  using Vertex = std::size_t;
  static constexpr Vertex source = 0, sink = 1;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  Vertex add_vertex() {
    first_.push_back(none);
    return first_.size() - 1;
  }
  /// Capacities are not negative; in sum they stay below `unlimited`.
  void add_edge(Vertex from, Vertex to, std::int64_t capacity) {
    add_half(from, to, capacity);
    add_half(to, from, 0);
  }

  /// Whether each vertex is on the source's side. Of several least cuts, the one with the fewest there.
  std::vector<bool> source_side() {
    while (find_levels()) push_flow();
    std::vector<bool> side(first_.size());
    for (Vertex v = 0; v < side.size(); ++v) side[v] = level_[v] != unreached;
    return side;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t unreached = none;

  struct Edge {
    Vertex to;
    std::int64_t left;  // of its capacity; its counterpart, the edge back, is its number ^ 1
    std::size_t next;   // from the same vertex
  };

  void add_half(Vertex from, Vertex to, std::int64_t capacity) {
    edges_.push_back({to, capacity, first_[from]});
    first_[from] = edges_.size() - 1;
  }

  /// The number of edges from the source; false if the sink is out of reach.
  bool find_levels() {
    level_.assign(first_.size(), unreached);
    level_[source] = 0;
    std::vector<Vertex> reached{source};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t e = first_[reached[i]]; e != none; e = edges_[e].next) {
        if (edges_[e].left == 0 || level_[edges_[e].to] != unreached) continue;
        level_[edges_[e].to] = level_[reached[i]] + 1;
        reached.push_back(edges_[e].to);
      }
    }
    return level_[sink] != unreached;
  }

  /// Along shortest paths, until each is blocked.
  void push_flow() {
    std::vector<std::size_t> next = first_, path;
    Vertex v = source;
    for (;;) {
      if (v == sink) {
        std::int64_t amount = unlimited;
        for (const std::size_t e : path) amount = std::min(amount, edges_[e].left);
        for (const std::size_t e : path) {
          edges_[e].left -= amount;
          edges_[e ^ 1].left += amount;
        }
        std::size_t kept = 0;
        while (edges_[path[kept]].left != 0) ++kept;
        v = edges_[path[kept] ^ 1].to;
        path.resize(kept);
        continue;
      }
      std::size_t& e = next[v];
      while (e != none && (edges_[e].left == 0 || level_[edges_[e].to] != level_[v] + 1)) e = edges_[e].next;
      if (e != none) {
        path.push_back(e);
        v = edges_[e].to;
      } else if (path.empty()) {
        return;
      } else {
        level_[v] = unreached;
        v = edges_[path.back() ^ 1].to;
        path.pop_back();
      }
    }
  }

  std::vector<std::size_t> first_{none, none};  // edge from each vertex
  std::vector<Edge> edges_;
  std::vector<std::size_t> level_;
};

}  // namespace graft::inline v1::detail
