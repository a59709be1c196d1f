#pragma once
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/pattern.hpp>
#include <graft/rewrite.hpp>

namespace many_rules {

using namespace graft;

inline constexpr std::size_t most = 200;
inline constexpr auto x = val<"x">;
inline constexpr auto low = cst<"low">;
inline constexpr auto high = cst<"high">;

/// "Op007": operators that no model has.
template <std::size_t I>
inline constexpr FixedString<6> number{{'O', 'p', '0' + I / 100, '0' + I / 10 % 10, '0' + I % 10, '\0'}};

/// Rules that all start at the most frequent operator, and fail one step above it.
template <std::size_t I>
inline constexpr auto at_one_root = rule<number<I>>(op<"Clip">(op<number<I>>(x), low, high), op<"Relu">(x));
/// Rules that each start at a different operator.
template <std::size_t I>
inline constexpr auto at_own_root = rule<number<I>>(op<number<I>>(op<"Clip">(x, low, high)), op<"Relu">(x));

/// The first `count` rules.
inline std::vector<RuleView> rules(std::size_t count, bool one_root) {
  const auto views = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return one_root ? std::vector<RuleView>{at_one_root<I>.view()...} : std::vector<RuleView>{at_own_root<I>.view()...};
  };
  std::vector<RuleView> all = views(std::make_index_sequence<most>());
  all.resize(count);
  return all;
}

}  // namespace many_rules
