#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <graft/pattern/assign_slots.hpp>
#include <graft/pattern/bound.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/captures.hpp>
#include <graft/pattern/front.hpp>
#include <graft/pattern/table.hpp>
#include <graft/pattern/where.hpp>

namespace graft::inline v1 {

/// A pattern without a replacement. Its attributes are open: those that the pattern does not mention may have any
/// value.
template <std::size_t N, std::size_t A, std::size_t W, std::size_t K, class C>
struct Query {
  using captures = C;

  std::string_view name{};
  std::array<PatternNode, N> nodes{};
  std::array<PatternAttr, A> attrs{};
  std::array<std::int64_t, W> words{};
  std::array<CheckRow, K> checks{};

  /// A view, valid while this object lives.
  constexpr operator RulePattern() const {
    RulePattern pattern;
    pattern.name = name;
    pattern.nodes = nodes;
    pattern.attrs = attrs;
    pattern.words = words;
    pattern.checks = checks;
    pattern.captures = C::ids;
    return pattern;
  }
};

namespace detail {

template <std::size_t N, std::size_t A, std::size_t W, class C, std::size_t K, class D>
constexpr auto make_query(std::string_view name, const Pattern<N, A, W, C>& pattern, const Where<K, D>& where) {
  check_looked_for<C>();
  check_conditions<C, D>();
  using All = SlotCaptures<C, D>;
  Query<N, A, W, K, All> query{name, pattern.nodes, pattern.attrs, pattern.words, where.rows};
  assign_slots(MutableTable{query.nodes, query.attrs, query.words}, All::ids);
  assign_slots(query.checks, All::ids);
  return query;
}

}  // namespace detail

template <FixedString Name>
struct QueryFront {
  template <pattern P, std::size_t K, class D>
  constexpr auto operator()(const P& p, const Where<K, D>& where) const {
    return detail::make_query(Name.view(), p, where);
  }
  template <pattern P>
  constexpr auto operator()(const P& p) const {
    return detail::make_query(Name.view(), p, Where<0, Captures<>>{});
  }
};

/// query<"name">(pattern) or query<"name">(pattern, where(...)): the argument of match() and find_all().
template <FixedString Name>
inline constexpr QueryFront<Name> query{};

}  // namespace graft::inline v1
