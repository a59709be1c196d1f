#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/builtins.hpp>
#include <graft/graph/infer/contents.hpp>

/// Sums of symbols, in the notation of exporters: "past + sequence", "2*past + 1".
namespace graft::inline v1::infer {

/// The greatest length of the symbol of a sum. Without a limit, a row of n sums of different symbols would take memory
/// and time of n^2.
inline constexpr std::size_t max_sum_length = 256;

/// A number of at least 0 and symbols, each with the number of times that it is added. Symbols are in order.
struct Sum {
  std::map<std::string_view, std::int64_t> times;
  std::int64_t number = 0;
};

namespace detail {

/// The digits at the start as a number; nullopt if there are none, or too many.
inline std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t number = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (builtins::multiply_overflows(number, std::int64_t{10}, number)) return std::nullopt;
    if (builtins::add_overflows(number, std::int64_t{text[i] - '0'}, number)) return std::nullopt;
  }
  return i == 0 ? std::nullopt : std::optional(number);
}

/// Whether a number in front multiplies all of the expression: 2*a, but not 2*a - 1 or 2*a//3.
inline bool is_factor(std::string_view expression) {
  int depth = 0;
  for (const char c : expression) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && std::string_view("+-/% ").find(c) != std::string_view::npos) return false;
  }
  return true;
}

/// Adds a number, "3*x" or a symbol. False if a number overflows.
inline bool add_summand(Sum& sum, std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  const auto number = leading_number(text);
  if (digits == std::string_view::npos)
    return number && !builtins::add_overflows(sum.number, *number, sum.number);
  const bool is_multiple = number && *number > 0 && text[digits] == '*' && digits + 1 < text.size() &&
                           is_factor(text.substr(digits + 1));
  std::int64_t& times = sum.times[is_multiple ? text.substr(digits + 1) : text];
  return !builtins::add_overflows(times, is_multiple ? *number : std::int64_t{1}, times);
}

}  // namespace detail

/// The summands of a number or symbol. A symbol with a difference in it is one summand. nullopt if the integer is
/// unknown or negative, or its symbol longer than max_sum_length.
inline std::optional<Sum> sum_of(const Integer& integer) {
  Sum sum;
  if (integer.known()) {
    sum.number = integer.value();
    return sum.number < 0 ? std::nullopt : std::optional(std::move(sum));
  }
  const std::string_view text = integer.symbol();
  if (text.empty() || text.size() > max_sum_length) return std::nullopt;
  if (text.find('-') != std::string_view::npos) {
    sum.times[text] = 1;
    return sum;
  }
  constexpr std::string_view plus = " + ";
  std::size_t first = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth != 0 || text.substr(i, plus.size()) != plus) continue;
    if (!detail::add_summand(sum, text.substr(first, i - first))) return std::nullopt;
    first = i + plus.size();
  }
  return detail::add_summand(sum, text.substr(first)) ? std::optional(std::move(sum)) : std::nullopt;
}

inline std::optional<Sum> add(Sum a, const Sum& b) {
  if (builtins::add_overflows(a.number, b.number, a.number)) return std::nullopt;
  for (const auto& [symbol, times] : b.times) {
    std::int64_t& all = a.times[symbol];
    if (builtins::add_overflows(all, times, all)) return std::nullopt;
  }
  return a;
}

/// nullopt if the difference may be negative.
inline std::optional<Sum> subtract(Sum a, const Sum& b) {
  a.number -= b.number;
  if (a.number < 0) return std::nullopt;
  for (const auto& [symbol, times] : b.times) {
    const auto found = a.times.find(symbol);
    if (found == a.times.end() || found->second < times) return std::nullopt;
    found->second -= times;
    if (found->second == 0) a.times.erase(found);
  }
  return a;
}

/// The symbol for a sum; empty if it is a number.
inline std::string to_symbol(const Sum& sum) {
  if (sum.times.empty()) return {};
  std::string text;
  for (const auto& [symbol, times] : sum.times) {
    if (!text.empty()) text += " + ";
    if (times == 1) text += symbol;
    else if (detail::is_factor(symbol)) text.append(std::to_string(times)).append("*").append(symbol);
    else text.append(std::to_string(times)).append("*(").append(symbol).append(")");
  }
  return sum.number == 0 ? text : text + " + " + std::to_string(sum.number);
}

}  // namespace graft::inline v1::infer
