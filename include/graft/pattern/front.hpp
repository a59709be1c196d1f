#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

struct PatternTag {};

/// A pattern: to match or to build.
template <class P>
concept pattern = std::is_base_of_v<PatternTag, std::remove_cvref_t<P>>;

/// N rows, A attribute rows and W words, with the captures C. Everything else is data, so that equal sizes and captures
/// give one type.
template <std::size_t N, std::size_t A, std::size_t W, class C>
struct Pattern : PatternTag {
  static constexpr std::size_t node_count = N, attr_count = A, word_count = W;
  using captures = C;

  std::array<PatternNode, N> nodes{};
  std::array<PatternAttr, A> attrs{};
  std::array<std::int64_t, W> words{};
};

namespace detail {

/// A pattern under construction, with its current sizes.
template <class P>
struct Builder {
  P result{};
  std::size_t nodes = 0, attrs = 0, words = 0;

  constexpr std::size_t add(const PatternNode& row) {
    result.nodes[nodes] = row;
    result.nodes[nodes].attr0 = static_cast<std::uint16_t>(attrs);
    return nodes++;
  }

  /// Appends another pattern as operand `operand` of row `parent`.
  template <std::size_t N, std::size_t A, std::size_t W, class C>
  constexpr std::size_t append(const Pattern<N, A, W, C>& p, std::size_t parent, std::size_t operand = 0) {
    const std::size_t at = nodes;
    for (std::size_t k = 0; k < N; ++k) {
      PatternNode row = p.nodes[k];
      row.parent = static_cast<std::int16_t>(k == 0 ? parent : static_cast<std::size_t>(row.parent) + at);
      row.end = static_cast<std::uint16_t>(row.end + at);
      row.attr0 = static_cast<std::uint16_t>(row.attr0 + attrs);
      result.nodes[nodes++] = row;
    }
    result.nodes[at].operand = static_cast<std::uint16_t>(operand);
    append_attrs(p.attrs, p.words);
    return at;
  }

  template <std::size_t A, std::size_t W>
  constexpr void append_attrs(const std::array<PatternAttr, A>& rows, const std::array<std::int64_t, W>& more) {
    for (PatternAttr row : rows) {
      row.word0 = static_cast<std::uint16_t>(row.word0 + words);
      result.attrs[attrs++] = row;
    }
    for (const std::int64_t word : more) result.words[words++] = word;
  }

  constexpr P finish(std::size_t root = 0) {
    result.nodes[root].end = static_cast<std::uint16_t>(nodes);
    return result;
  }
};

/// One row, and the pattern below it for the same value.
template <class C, std::size_t N, std::size_t A, std::size_t W, class Old>
constexpr auto wrap(const PatternNode& row, const Pattern<N, A, W, Old>& p) {
  Builder<Pattern<N + 1, A, W, C>> b;
  b.add(row);
  b.result.nodes[b.append(p, 0)].same_value = true;
  return b.finish();
}

}  // namespace detail
}  // namespace graft::inline v1
