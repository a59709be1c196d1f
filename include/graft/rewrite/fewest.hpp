#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>

// The search for few of ranked items that are enough: layers in float, nodes in float32. The first of them that are
// enough, and then those of these that are needed. Both functions ask may_go_on() before each trial.
namespace graft::inline v1 {

/// Bisects how many of the first items are enough, if more are never worse: calls is_enough(1 to count - 1). All are
/// taken to be enough, and none are not.
template <std::predicate<std::size_t> Enough, std::predicate GoOn>
std::size_t shortest_prefix(std::size_t count, Enough is_enough, GoOn may_go_on) {
  std::size_t too_few = 0, enough = count;
  while (enough - too_few > 1 && may_go_on()) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (is_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

/// Tries to do without each of the first `count` items: calls without(begin, end), which drops items [begin, end) if
/// the rest is enough. The last items come first, in at most 12 trials.
template <std::invocable<std::size_t, std::size_t> Without, std::predicate GoOn>
void drop_needless(std::size_t count, Without without, GoOn may_go_on) {
  constexpr std::size_t max_trials = 12;
  const std::size_t together = (count + max_trials - 1) / max_trials;
  for (std::size_t end = count; end > 0 && may_go_on();) {
    const std::size_t begin = end - std::min(together, end);
    without(begin, end);
    end = begin;
  }
}

}  // namespace graft::inline v1
