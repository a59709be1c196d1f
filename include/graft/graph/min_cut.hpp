#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace graft::inline v1 {

/// Parts the source from the sink where the capacities of the edges that lead across are least in sum. Goldberg and
/// Tarjan, A new approach to the maximum-flow problem (1988), its first phase, in waves from the highest vertex to the
/// lowest, with heights found again now and then (Cherkassky and Goldberg, 1997): what flows together moves on
/// together. Dinic's algorithm takes a path for each unit of a long row, and so 240 times as long for 8000 of them.
class MinCut {
 public:
  using Vertex = std::size_t;
  static constexpr Vertex source = 0, sink = 1;
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

  Vertex add_vertex() {
    first_.push_back(none);
    return first_.size() - 1;
  }
  /// Capacities are not negative; in sum, where they are limited, they stay below `unlimited`.
  void add_edge(Vertex from, Vertex to, std::int64_t capacity) {
    add_half(from, to, capacity);
    add_half(to, from, 0);
  }

  /// Whether each vertex is on the source's side. Of several least cuts, the one with the fewest there: what the source
  /// can still reach, and what holds more than the sink takes.
  std::vector<bool> source_side() {
    excess_.resize(first_.size());
    for (std::size_t e = first_[source]; e != none; e = edges_[e].next) push(e, edges_[e].left);
    find_heights();
    while (highest_ != 0) {
      for (std::size_t height = std::exchange(highest_, 0); height != 0; --height, ++steps_)
        for (const Vertex v : std::exchange(active_[height], {})) discharge(v);
      if (steps_ > next_heights_) find_heights();
    }
    std::vector<bool> side(first_.size());
    std::vector<Vertex> reached{source};
    for (Vertex v = sink + 1; v < side.size(); ++v)
      if (excess_[v] != 0) reached.push_back(v);
    for (const Vertex v : reached) side[v] = true;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t e = first_[reached[i]]; e != none; e = edges_[e].next, ++steps_) {
        if (edges_[e].left == 0 || side[edges_[e].to]) continue;
        side[edges_[e].to] = true;
        reached.push_back(edges_[e].to);
      }
    }
    return side;
  }

  /// How many edges and heights were looked at.
  std::size_t steps() const { return steps_; }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct Edge {
    Vertex to;
    std::int64_t left;  // of its capacity; its counterpart, the edge back, is its number ^ 1
    std::size_t next;   // from the same vertex
  };

  void add_half(Vertex from, Vertex to, std::int64_t capacity) {
    edges_.push_back({to, capacity, first_[from]});
    first_[from] = edges_.size() - 1;
  }

  /// More than `unlimited` cannot flow on.
  void push(std::size_t e, std::int64_t amount) {
    edges_[e].left -= amount;
    edges_[e ^ 1].left += amount;
    std::int64_t& excess = excess_[edges_[e].to];
    excess = std::min(excess + amount, unlimited);
  }

  /// The number of edges to the sink, as many as there are vertices where it is out of reach.
  void find_heights() {
    const std::size_t unreached = first_.size();
    height_.assign(unreached, unreached);
    active_.assign(unreached, {});
    next_ = first_;
    height_[sink] = highest_ = 0;
    std::vector<Vertex> reached{sink};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Vertex v = reached[i];
      if (v != sink && excess_[v] != 0) activate(v);
      for (std::size_t e = first_[v]; e != none; e = edges_[e].next, ++steps_) {
        const Vertex from = edges_[e].to;
        if (edges_[e ^ 1].left == 0 || height_[from] != unreached || from == source) continue;
        height_[from] = height_[v] + 1;
        reached.push_back(from);
      }
    }
    next_heights_ = steps_ + 6 * first_.size() + edges_.size();
  }

  void activate(Vertex v) {
    active_[height_[v]].push_back(v);
    highest_ = std::max(highest_, height_[v]);
  }

  /// Pushes what it has downwards; where no edge leads there, lifts it and leaves it for the next wave.
  void discharge(Vertex v) {
    while (excess_[v] != 0) {
      const std::size_t e = next_[v];
      if (e == none) return lift(v);
      ++steps_;
      const Vertex to = edges_[e].to;
      if (edges_[e].left == 0 || height_[v] != height_[to] + 1) {
        next_[v] = edges_[e].next;
        continue;
      }
      const std::int64_t amount = std::min(excess_[v], edges_[e].left);
      if (excess_[to] == 0 && to != sink) activate(to);
      push(e, amount);
      excess_[v] -= amount;
    }
  }

  void lift(Vertex v) {
    std::size_t least = first_.size();
    for (std::size_t e = first_[v]; e != none; e = edges_[e].next, ++steps_)
      if (edges_[e].left != 0) least = std::min(least, height_[edges_[e].to] + 1);
    height_[v] = least;
    next_[v] = first_[v];
    if (least < first_.size()) activate(v);
  }

  std::vector<std::size_t> first_{none, none};  // edge from each vertex
  std::vector<Edge> edges_;
  std::vector<std::int64_t> excess_;         // of what flows to each vertex
  std::vector<std::size_t> height_, next_;   // edge to push along
  std::vector<std::vector<Vertex>> active_;  // with excess, by height
  std::size_t highest_ = 0, steps_ = 0, next_heights_ = 0;
};

}  // namespace graft::inline v1
