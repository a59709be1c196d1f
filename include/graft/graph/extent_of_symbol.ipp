#pragma once
#include <graft/graph/extent_of_symbol.hpp>

#include <charconv>
#include <system_error>

#include <graft/config.hpp>
#include <graft/graph/builtins.hpp>

namespace graft::inline v1 {

namespace detail {

/// Removes the text before the mark, and the mark, and returns the text without outer spaces; all text if there is no
/// mark.
inline std::string_view take_operand(std::string_view& rest, char mark) {
  const std::size_t end = rest.find(mark);
  std::string_view operand = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  while (operand.starts_with(' ')) operand.remove_prefix(1);
  while (operand.ends_with(' ')) operand.remove_suffix(1);
  return operand;
}

}  // namespace detail

GRAFT_INLINE std::optional<std::int64_t> extent_of_symbol(
    std::string_view symbol, const std::function<std::int64_t(std::string_view name)>& extent_of) {
  if (symbol.find_first_of("+*") == std::string_view::npos) return std::nullopt;
  if (symbol.ends_with('+') || symbol.ends_with('*')) return std::nullopt;
  std::int64_t sum = 0;
  while (!symbol.empty()) {
    std::string_view term = detail::take_operand(symbol, '+');
    std::int64_t product = 1;
    do {
      const std::string_view factor = detail::take_operand(term, '*');
      if (factor.empty() || factor.find_first_of(" ()/,") != std::string_view::npos) return std::nullopt;
      std::int64_t number = 0;
      const auto read = std::from_chars(factor.data(), factor.data() + factor.size(), number);
      const bool is_number = read.ec == std::errc() && read.ptr == factor.data() + factor.size();
      const std::int64_t extent = is_number ? number : extent_of(factor);
      if (builtins::multiply_overflows(product, extent, product)) return std::nullopt;
    } while (!term.empty());
    if (builtins::add_overflows(sum, product, sum)) return std::nullopt;
  }
  return sum;
}

}  // namespace graft::inline v1
